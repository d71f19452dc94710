// The name of a resource of huge pages. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/quantity.h"
#include "base/text.h"

namespace huygens::publish {

// 2048 -> hugepages-2Mi
inline std::string HugePagesText(int64_t page_kb) {
  return Concat("hugepages-", Quantity::FromInt(page_kb * 1024, Quantity::Format::kBinarySI).Canonical());
}

}  // namespace huygens::publish
