// One search for pods to wake, from its beginning to its end.
#pragma once

#include <string>
#include <vector>

#include "placement/wake_search.h"
#include "tests/cluster/build.h"

namespace huygens::test {

// The UIDs of those that it finds, in the order of the wakes.
inline std::vector<std::string> Woken(placement::WakeSearch& search, Time now = kNow) {
  std::vector<std::string> uids;
  if (!search.Begin(now)) return uids;
  while (search.Step(now)) {
  }
  for (const placement::Wake& wake : search.TakeWakes()) {
    for (const auto& pod : wake.pods) uids.push_back(pod->uid);
  }
  return uids;
}

}  // namespace huygens::test
