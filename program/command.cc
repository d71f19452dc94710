#include "program/command.h"

#include <algorithm>
#include <cstdio>

#include "base/commit.h"
#include "base/text.h"
#include "program/command_line.h"

namespace huygens::program {

namespace {

void Print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

void PrintUsage(const Program& program, std::FILE* to) {
  Print(to, Concat(program.name, " ", program.summary, "\n\nUsage: ", program.name, " SUBCOMMAND [FLAGS]\n\n"));
  for (const Command* command : program.commands) {
    std::fprintf(to, "  %-10.*s %.*s\n", static_cast<int>(command->name.size()), command->name.data(),
                 static_cast<int>(command->summary.size()), command->summary.data());
  }
  Print(to,
        Concat("\n`", program.name, " SUBCOMMAND --help` says more. Exit codes: 0 done, 1 failed, 2 wrong usage.\n"));
}

bool AsksForHelp(std::string_view argument) { return argument == "--help" || argument == "-h" || argument == "-help"; }

}  // namespace

int Run(const Program& program, int argc, char** argv) {
  if (argc < 2) {
    PrintUsage(program, stderr);
    return kUsage;
  }
  std::span<char*> arguments(argv + 1, argv + argc);
  bool help = AsksForHelp(arguments[0]) || std::string_view(arguments[0]) == "help";
  if (help && arguments.size() == 1) {
    PrintUsage(program, stdout);
    return kOk;
  }
  if (help) arguments = arguments.subspan(1);
  std::string_view name = arguments[0];
  if (name == "--version") name = "version";
  const auto found = std::ranges::find(program.commands, name, [](const Command* command) { return command->name; });
  if (found == program.commands.end()) {
    return UsageError(program.name, name, Concat("no such subcommand; `", program.name, " --help` lists them"));
  }
  const Command& command = **found;
  help = help || std::any_of(arguments.begin() + 1, arguments.end(), AsksForHelp);
  if (help) {
    Print(stdout, command.help);
    return kOk;
  }
  const auto rest = ParseFlags(arguments, command.flags);
  return rest.ok() ? command.run(*rest) : UsageError(program.name, name, Message(rest.status()));
}

std::string VersionText(std::string_view program) {
  return Concat(program, " ", HUYGENS_VERSION, " (commit ", Commit(), ")\n");
}

int UsageError(std::string_view program, std::string_view name, std::string_view message) {
  std::fprintf(stderr, "%.*s %.*s: %.*s\n", static_cast<int>(program.size()), program.data(),
               static_cast<int>(name.size()), name.data(), static_cast<int>(message.size()), message.data());
  return kUsage;
}

}  // namespace huygens::program
