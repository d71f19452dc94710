// Whether a service can do its work, and what each part of it says to that: one line of /readyz?verbose per item. A
// plain value.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace huygens::observe {

struct Readiness {
  struct Item {
    bool ok = true;
    bool warning = false;  // worth knowing, but no reason not to be ready
    std::string name;      // "pods"
    std::string detail;    // "synced", "not synced: connection refused"
  };
  std::vector<Item> items;

  bool Ready() const {
    return std::all_of(items.begin(), items.end(), [](const Item& item) { return item.ok || item.warning; });
  }
};

}  // namespace huygens::observe
