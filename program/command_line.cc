#include "program/command_line.h"

#include <algorithm>
#include <string>

#include "absl/flags/parse.h"

namespace huygens::program {

StatusOr<std::vector<std::string_view>> ParseFlags(std::span<char*> arguments,
                                                   std::span<const std::string_view> flags) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--") break;
    if (argument.size() < 2 || argument[0] != '-') continue;
    const std::string given(argument.substr(0, argument.find('=')));
    // Abseil's flags are C++ names.
    const size_t name = given.starts_with("--") ? 2 : 1;
    std::replace(arguments[i] + name, arguments[i] + given.size(), '-', '_');
    if (std::ranges::find(flags, argument.substr(name, given.size() - name)) == flags.end()) {
      return Invalid(Concat("it has no flag ", given, "; see --help"));
    }
    if (given.size() < argument.size()) continue;
    if (++i == arguments.size()) return Invalid(Concat(given, " needs a value; see --help"));
    if (std::string_view(arguments[i]) == "-") {
      return Invalid(Concat(given, ": standard input (-) is not read; give a file"));
    }
  }
  const std::vector<char*> rest = absl::ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  return std::vector<std::string_view>(rest.begin() + 1, rest.end());
}

}  // namespace huygens::program
