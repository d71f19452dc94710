// One subcommand of a program: a name, the text of its --help, and what it does; and how a program picks one. The
// programs of the family (cli/, agent/) differ in their lists of commands only.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace huygens::program {

// Exit codes of every subcommand.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // it ran and something went wrong, or a pod of `place` found no node unexpectedly
inline constexpr int kUsage = 2;   // the command line or a file given on it cannot be used

struct Command {
  std::string_view name;
  std::string_view summary;                 // one line of `PROGRAM --help`
  std::string_view help;                    // all of `PROGRAM NAME --help`
  std::span<const std::string_view> flags;  // those it has, as Abseil knows them: admin_url for --admin-url
  // `arguments`: what is left after the flags.
  int (*run)(std::span<const std::string_view> arguments);
};

struct Program {
  std::string_view name;
  std::string_view summary;  // what it is, in a sentence
  // `--version` stands for the command `version`.
  std::span<const Command* const> commands;
};

// What main() returns: prints the usage, or runs the command that argv[1] names.
int Run(const Program& program, int argc, char** argv);

// "huygens 0.1.0 (commit 1a2b3c4)\n"
std::string VersionText(std::string_view program);

// Prints "PROGRAM NAME: message" to standard error and returns kUsage.
int UsageError(std::string_view program, std::string_view name, std::string_view message);

}  // namespace huygens::program
