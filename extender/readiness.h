// Whether huygens can decide, and what each part of that says: one line of /readyz?verbose per item. A plain value,
// made on the decision thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace huygens::extender {

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

}  // namespace huygens::extender
