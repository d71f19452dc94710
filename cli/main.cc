// huygens SUBCOMMAND [FLAGS] [ARGUMENTS]: picks the subcommand; everything else is in its file.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/parse.h"
#include "cli/command.h"

namespace huygens::cli {

int UsageError(std::string_view name, std::string_view message) {
  std::fprintf(stderr, "huygens %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
               static_cast<int>(message.size()), message.data());
  return kUsage;
}

namespace {

constexpr const Command* kCommands[] = {&kExtenderCommand, &kPlaceCommand, &kExplainCommand, &kConfigCommand,
                                        &kVersionCommand};

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

// Users write --admin-url; Abseil's flags are C++ names and know --admin_url alone.
void AcceptDashes(char* argument) {
  if (argument[0] != '-' || argument[1] != '-') return;
  for (char* c = argument + 2; *c != '\0' && *c != '='; ++c) {
    if (*c == '-') *c = '_';
  }
}

bool AsksForHelp(std::string_view argument) { return argument == "--help" || argument == "-h" || argument == "-help"; }

int Run(int argc, char** argv) {
  if (argc < 2) {
    PrintUsage(stderr);
    return kUsage;
  }
  std::string_view name = argv[1];
  if (AsksForHelp(name) || name == "help") {
    PrintUsage(stdout);
    return kOk;
  }
  for (const Command* command : kCommands) {
    if (command->name != name) continue;
    for (int i = 2; i < argc; ++i) {
      if (AsksForHelp(argv[i])) {
        Print(stdout, command->help);
        return kOk;
      }
      AcceptDashes(argv[i]);
    }
    argv[1] = argv[0];
    std::vector<char*> rest = absl::ParseCommandLine(argc - 1, argv + 1);
    std::vector<std::string_view> arguments(rest.begin() + 1, rest.end());
    return command->run(arguments);
  }
  UsageError(name, "no such subcommand; `huygens --help` lists them");
  return kUsage;
}

}  // namespace
}  // namespace huygens::cli

int main(int argc, char** argv) { return huygens::cli::Run(argc, argv); }
