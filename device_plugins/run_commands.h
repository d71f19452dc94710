// Programs of the operator's, run for devices: is this one healthy, make it ready. Blocking; any thread.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::device_plugins {

// Runs all at once, each a program (looked for in PATH) with its arguments, and says how each ended: OK for exit code 0;
// else an error with the code and the beginning of what it wrote. One that runs longer than `limit`, or on after
// `cancel` was set, is killed with all processes of its group. At most 64 at a time.
std::vector<Status> RunCommands(std::span<const std::vector<std::string>> commands, Duration limit,
                                const std::atomic<bool>& cancel);

}  // namespace huygens::device_plugins
