// huygens SUBCOMMAND [FLAGS] [ARGUMENTS]: picks the subcommand; everything else is in its file.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

#include "cli/command.h"
#include "cli/command_line.h"

namespace huygens::cli {

namespace {

constexpr const Command* kCommands[] = {&kExtenderCommand,  &kWebhookCommand, &kControllerCommand, &kPreflightCommand,
                                        &kPlaceCommand,     &kExplainCommand, &kUsageCommand,      &kQuotaCommand,
                                        &kRecommendCommand, &kConfigCommand,  &kVersionCommand};

void Print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

void PrintUsage(std::FILE* to) {
  Print(to,
        "huygens places pods on NUMA zones: an extender for kube-scheduler.\n\nUsage: huygens SUBCOMMAND [FLAGS]\n\n");
  for (const Command* command : kCommands) {
    std::fprintf(to, "  %-10.*s %.*s\n", static_cast<int>(command->name.size()), command->name.data(),
                 static_cast<int>(command->summary.size()), command->summary.data());
  }
  Print(to, "\n`huygens SUBCOMMAND --help` says more. Exit codes: 0 done, 1 failed, 2 wrong usage.\n");
}

bool AsksForHelp(std::string_view argument) { return argument == "--help" || argument == "-h" || argument == "-help"; }

int Run(int argc, char** argv) {
  if (argc < 2) {
    PrintUsage(stderr);
    return kUsage;
  }
  std::span<char*> arguments(argv + 1, argv + argc);
  bool help = AsksForHelp(arguments[0]) || std::string_view(arguments[0]) == "help";
  if (help && arguments.size() == 1) {
    PrintUsage(stdout);
    return kOk;
  }
  if (help) arguments = arguments.subspan(1);
  std::string_view name = arguments[0];
  if (name == "--version") name = kVersionCommand.name;
  const auto* const found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command* command) { return command->name == name; });
  if (found == std::end(kCommands)) return UsageError(name, "no such subcommand; `huygens --help` lists them");
  const Command& command = **found;
  help = help || std::any_of(arguments.begin() + 1, arguments.end(), AsksForHelp);
  if (help) {
    Print(stdout, command.help);
    return kOk;
  }
  const auto rest = ParseFlags(arguments, command.flags);
  return rest.ok() ? command.run(*rest) : UsageError(name, Message(rest.status()));
}

}  // namespace
}  // namespace huygens::cli

int main(int argc, char** argv) { return huygens::cli::Run(argc, argv); }
