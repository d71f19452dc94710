// huygens-agent config: prints the default configuration, checks a file.
#include <cstdio>
#include <string>

#include "agent/command.h"
#include "agent/configuration.h"
#include "base/text.h"

namespace huygens::agent {

namespace {

void PrintTo(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int RunConfig(std::span<const std::string_view> arguments) {
  if (arguments.size() == 1 && arguments[0] == "defaults") {
    PrintTo(stdout, AgentDefaultsYaml());
    return program::kOk;
  }
  if (arguments.size() != 2 || arguments[0] != "check")
    return UsageError("config", "it is `huygens-agent config defaults` or `huygens-agent config check FILE`");
  const std::string file(arguments[1]);
  const Status checked = LoadAgentConfiguration(file).status();
  if (checked.ok()) {
    PrintTo(stdout, Concat(file, ": ok\n"));
    return program::kOk;
  }
  if (!absl::IsInvalidArgument(checked)) return UsageError("config", Message(checked));
  PrintTo(stderr, Concat(Message(checked), "\n"));
  return program::kFailed;
}

}  // namespace

const program::Command kConfigCommand = {"config",
                                         "print the default configuration, or check a file",
                                         R"(Usage: huygens-agent config defaults
       huygens-agent config check FILE

defaults prints every field with its default and a comment. check reads FILE as
`huygens-agent run --config FILE` would and prints every fault at once as
FILE:LINE:COLUMN: field: what is wrong. It does not open the files that FILE names.

Exit codes: 0 ok, 1 the file has faults, 2 wrong usage, or the file cannot be read.
)",
                                         {},
                                         RunConfig};

}  // namespace huygens::agent
