// One page of a LIST answer, split into its items without decoding them. Items are views into the text. Safe on any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::wire {

struct ListItem {
  std::string_view text;
  uint64_t resource_version = 0;  // 0 = none that is a number
};

struct ObjectList {
  std::string resource_version;
  std::string continue_token;  // empty on the last page
  std::vector<ListItem> items;
};

// Fails if the text is not a list: no JSON object, or `items` of a wrong type. A null `items` is an empty list; no
// `items` at all is an error, since an empty list means that everything is gone.
StatusOr<ObjectList> DecodeList(std::string_view json);

}  // namespace huygens::wire
