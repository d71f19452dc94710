// One subcommand of the `huygens` program: a name, the text of its --help, and what it does.
#pragma once

#include <span>
#include <string_view>

namespace huygens::cli {

// Exit codes of every subcommand.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // it ran and something went wrong, or a pod of `place` found no node unexpectedly
inline constexpr int kUsage = 2;   // the command line or a file given on it cannot be used

struct Command {
  std::string_view name;
  std::string_view summary;                 // one line of `huygens --help`
  std::string_view help;                    // all of `huygens NAME --help`
  std::span<const std::string_view> flags;  // those it has, as Abseil knows them: admin_url for --admin-url
  // `arguments`: what is left after the flags.
  int (*run)(std::span<const std::string_view> arguments);
};

extern const Command kExtenderCommand;
extern const Command kWebhookCommand;
extern const Command kControllerCommand;
extern const Command kPreflightCommand;
extern const Command kPlaceCommand;
extern const Command kExplainCommand;
extern const Command kUsageCommand;
extern const Command kQuotaCommand;
extern const Command kRecommendCommand;
extern const Command kConfigCommand;
extern const Command kVersionCommand;

// Prints "huygens NAME: message" to standard error and returns kUsage.
int UsageError(std::string_view name, std::string_view message);
// The same for what was used well and failed: returns kFailed.
inline int Failed(std::string_view name, std::string_view message) {
  UsageError(name, message);
  return kFailed;
}

}  // namespace huygens::cli
