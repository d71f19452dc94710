// A kind of object that a page rests on and of which huygens has heard nothing for a while: what the page says of it is
// that old. Part of documents; a plain value.
#pragma once

#include <cstdint>
#include <string>

namespace huygens::admin_api {

struct NotHeardOf {
  std::string kind;  // "nodes"
  int64_t seconds = 0;
  std::string why;  // one line; empty: the watch is open, and nothing comes

  static void Describe(auto& self, auto& fields) {
    fields.Always("kind", self.kind);
    fields.Always("seconds", self.seconds);
    fields.IfSet("why", self.why);
  }
  bool operator==(const NotHeardOf&) const = default;
};

}  // namespace huygens::admin_api
