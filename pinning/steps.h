// In which order CPU sets are written, so that at no moment two containers have an exclusive CPU, whatever fails
// between two writes. Pure; any thread.
//
// Nobody plans ahead: what may be written now follows from what each container has now (`held`) and what it is to have
// (`target`). A CPU is given to a container once all others that must not share it have left it, and to leave a CPU is
// always allowed. So the shared shrink first, then somebody gets what they left, and when he is gone they are widened.
// A write that failed or was lost leaves `held` as it was, and what waits for it goes on waiting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinning/cpu_set.h"
#include "pinning/pod_ask.h"

namespace huygens::pinning {

struct Holder {
  std::string id;     // of the container
  std::string owner;  // pod UID and name of the container: the same container before and after a crash
  Pool pool = Pool::kShared;
  CpuSet target;       // not empty
  CpuSet held;         // what it can run on now, as far as anybody knows; while a write is on its way, before and after
  bool busy = false;   // a write is on its way, or it does not run yet: nothing is written now
  bool stuck = false;  // its writes fail: others that own nothing of its CPUs wait no longer
};

struct Step {
  std::string id;
  CpuSet to;
  bool final = false;  // `to` is its target
};

// What may be written now, all at once or one after the other: first those who leave CPUs, then those who get some. None
// where all have their target, or all that is left waits for somebody who is busy. `parking`: where an exclusive
// container is sent for a moment when two wait for each other; the shared CPUs.
std::vector<Step> StepsNow(std::vector<Holder> holders, const CpuSet& parking);

}  // namespace huygens::pinning
