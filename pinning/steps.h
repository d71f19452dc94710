// In which order CPU sets are written, so that nobody who owns CPUs ever shares them, whatever fails between two writes.
// Pure; any thread.
//
// Nobody plans ahead: what may be written now follows from what each container has now (`held`) and what it is to have
// (`target`), so that an agent that was killed, a write that failed, and somebody else's write need no care of their own.
// Targets of owners meet neither each other nor those of anybody who may not share with them (pinning/assignment.h).
//
// THE INVARIANT. Two containers exclude each other where one is exclusive, or both are immovable. Of two that exclude
// each other none is given a CPU on which the other is: each step takes what others have, and what is being written to
// them, for theirs. So an overlap that somebody else made (drift, a crash in between) only ever shrinks. All steps of one
// answer may be done in any order or at once, and each may fail, or be done later than expected. Nobody's set is ever
// empty. Not covered is a newcomer: a container that has begun on CPUs that nobody gave it. It is in nobody's way, for
// nobody can keep it off, and is narrowed as soon as may be.
//
// THE ORDER. Those who own nothing leave CPUs, then owners get what is free, whole sets rather than parts; then newcomers
// that own nothing are narrowed, and last of all sets are widened. An owner does not go to its own CPUs while somebody is
// still leaving them. Of two the one goes first that comes first in `holders`.
//
// A RING is left where each waits for CPUs that the next one has: sets that changed places. Its members hold nothing of
// their targets. It is opened at the first of these that is possible:
//   1. a member that has several CPUs leaves those that the one before it wants, or all but one;
//   2. an owner goes to a CPU that no owner has or is to have, once those who own nothing have left it for so long;
//   3. one that owns nothing goes where it belongs, beside an owner that has not left the shared CPUs yet;
//   4. an owner goes to a CPU as in 2 beside those who cannot leave it, since it is the only one they may be on;
//   5. an owner goes to its target beside the one that is there: all CPUs that there are have owners.
// Only 3 to 5 put two on a CPU that exclude each other, until the ring is open: no order of writes could spare them that.
// Who waits for a container that cannot be written (`stuck`) waits, and nobody else does.
//
// THE END. With each write that takes effect this falls, compared from left to right: the newcomers; the CPUs held that
// an owner is to have that excludes the holder; the CPUs held outside of targets; the CPUs of targets not held. Only 2
// makes the last of these rise, by one for each that leaves a CPU, and once for each time that the second falls.
#pragma once

#include <string>
#include <vector>

#include "pinning/cpu_set.h"
#include "pinning/pod_ask.h"

namespace huygens::pinning {

// Whether two containers of these pools may not run on one CPU. Two that are one container before and after a crash may.
inline bool Exclude(Pool a, Pool b) {
  return a == Pool::kExclusive || b == Pool::kExclusive || (a == Pool::kImmovable && b == Pool::kImmovable);
}

struct Holder {
  std::string id;     // of the container
  std::string owner;  // pod UID and name of the container: the same container before and after a crash
  Pool pool = Pool::kShared;
  CpuSet target;  // not empty
  // What it can run on now, as far as anybody knows, and what a write gives it whose end is not known. Of a newcomer the
  // latter alone.
  CpuSet held;
  bool busy = false;      // a read or a write is on its way, or it is to be left alone for a moment: nothing is written
  bool stuck = false;     // its writes fail: owners wait for it no longer if it owns nothing
  bool newcomer = false;  // it runs on CPUs that nobody gave it
};

// The CPUs of the node.
struct Ground {
  CpuSet shared;  // where those run who own nothing; not empty
  CpuSet usable;  // these and all that owners can have
};

struct Step {
  std::string id;
  CpuSet to;  // not empty
};

// What may be written now, all at once or one after the other, the most urgent first. None where all have their target,
// or all that is left waits for somebody who is busy or stuck.
std::vector<Step> StepsNow(std::vector<Holder> holders, const Ground& ground);

}  // namespace huygens::pinning
