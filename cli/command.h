// The subcommands of `huygens`, each in its file.
#pragma once

#include <string_view>

#include "program/command.h"

namespace huygens::cli {

using program::Command;
using program::kFailed;
using program::kOk;
using program::kUsage;

extern const Command kExtenderCommand;
extern const Command kWebhookCommand;
extern const Command kControllerCommand;
extern const Command kPreflightCommand;
extern const Command kPlaceCommand;
extern const Command kExplainCommand;
extern const Command kUsageCommand;
extern const Command kQuotaCommand;
extern const Command kRescheduleCommand;
extern const Command kRecommendCommand;
extern const Command kRulesCommand;
extern const Command kConfigCommand;
extern const Command kVersionCommand;

// Prints "huygens NAME: message" to standard error and returns kUsage.
inline int UsageError(std::string_view name, std::string_view message) {
  return program::UsageError("huygens", name, message);
}
// The same for what was used well and failed: returns kFailed.
inline int Failed(std::string_view name, std::string_view message) {
  UsageError(name, message);
  return kFailed;
}

}  // namespace huygens::cli
