// What people are to be told of pinning: one line of the log, perhaps an Event, and a count. Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "pinning/pod_ask.h"

namespace huygens::pinner {

enum class NoteKind : uint8_t {
  kPinned,     // it runs on its CPUs, for the first time or on others than before
  kRepaired,   // somebody had changed its set, and it has its own again
  kNotPinned,  // its pod asks for CPUs and it has none of its own
  kFailed,     // its set could not be written, or did not stay
  kConflict,   // somebody has CPUs that have become reserved or went offline
  kState,      // of the state file
};

struct PinNote {
  NoteKind kind = NoteKind::kPinned;
  std::string uid, namespace_name, pod, container;  // of whom; empty for kConflict and kState
  pinning::Pool pool = pinning::Pool::kShared;
  std::string cpus;
  std::string text;  // why, and what to do; empty for kPinned and kRepaired

  bool Warning() const { return kind != NoteKind::kPinned; }
};

// Since the start.
struct PinCounts {
  uint64_t written = 0;   // updates that the runtime took
  uint64_t lost = 0;      // of these, without effect: the container was starting
  uint64_t failed = 0;    // updates that the runtime refused
  uint64_t repaired = 0;  // sets that somebody else had changed
};

// Now.
struct PinGauges {
  int containers[4] = {};  // by pool, of those that run
  int waiting = 0;         // that do not have their set yet
  int exclusive_cpus = 0, shared_cpus = 0;
};

}  // namespace huygens::pinner
