// The one rule for memory that cannot be had: the process writes a line to its log and ends. Everything here can be
// read anew from the API server at the next start, whereas whoever went on would have to prove at each allocation that
// half a change is no change. What bounds memory (requests, watch queues, answers) is elsewhere.
#pragma once

#include "observe/log.h"

namespace huygens::observe {

inline constexpr int kOutOfMemoryExitCode = 3;

// From now on `operator new` does not throw, on any thread: it writes a line of level error in that format and ends the
// process with that code, without destructors. Libraries in C report what they cannot get as an error of the call.
void EndWhenOutOfMemory(LogFormat format, int file_descriptor = 2);

}  // namespace huygens::observe
