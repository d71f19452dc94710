// A pod of a vector, decoded as where nodes have named all resources that it mentions.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "base/resource.h"
#include "wire/pod.h"

namespace huygens::test {

// Puts the keys of each map of amounts within `value` into the table.
inline void InternAmounts(const boost::json::value& value, ResourceNames& names) {
  if (value.is_array()) {
    for (const boost::json::value& each : value.as_array()) InternAmounts(each, names);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.as_object()) {
    const bool amounts = key == "requests" || key == "limits" || key == "overhead" || key == "allocatedResources";
    if (amounts && member.is_object()) {
      for (const auto& [name, amount] : member.as_object()) (void)names.Intern(std::string_view(name));
    } else {
      InternAmounts(member, names);
    }
  }
}

inline StatusOr<cluster::Pod> DecodeKnownPod(const boost::json::value& pod, ResourceNames& names) {
  InternAmounts(pod, names);
  return wire::DecodePod(boost::json::serialize(pod), names);
}

}  // namespace huygens::test
