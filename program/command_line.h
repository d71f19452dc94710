// The flags of a program as users write them. The flags themselves are Abseil's, each declared beside its command.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::program {

// Sets the flags that `arguments` (argv from the subcommand's name on) holds, --admin-url as well as --admin_url, and
// returns what is left, without the name. InvalidArgument for a flag that is none of `flags` (Command::flags), or one
// without its value: Abseil itself would end the program, with the exit code of a failure, and would take what another
// subcommand has.
StatusOr<std::vector<std::string_view>> ParseFlags(std::span<char*> arguments, std::span<const std::string_view> flags);

}  // namespace huygens::program
