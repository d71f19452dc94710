// The subcommands of `huygens-agent`, each in its file.
#pragma once

#include <string_view>

#include "program/command.h"

namespace huygens::agent {

extern const program::Command kConfigCommand;
extern const program::Command kRunCommand;
extern const program::Command kDoctorCommand;
extern const program::Command kShowCommand;
extern const program::Command kVersionCommand;

// Prints "huygens-agent NAME: message" to standard error and returns program::kUsage.
inline int UsageError(std::string_view name, std::string_view message) {
  return program::UsageError("huygens-agent", name, message);
}

}  // namespace huygens::agent
