// huygens config: prints the default configuration, checks a file.
#include <cstdio>
#include <string>

#include "cli/command.h"
#include "settings/configuration.h"
#include "settings/yaml.h"

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "config";

void Print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int Check(std::string_view file) {
  auto configuration = settings::LoadConfiguration(std::string(file));
  if (!configuration.ok()) {
    const Status& status = configuration.status();
    if (!absl::IsInvalidArgument(status)) return UsageError(kName, Message(status));
    Print(stderr, Concat(Message(status), "\n"));
    return kFailed;
  }
  Print(stdout, Concat(file, ": ok\n"));
  for (const std::string& caution : settings::Cautions(*configuration)) {
    Print(stdout, Concat(file, ": note: ", caution, "\n"));
  }
  return kOk;
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() == 1 && arguments[0] == "defaults") {
    Print(stdout, settings::DefaultsYaml());
    return kOk;
  }
  if (arguments.size() == 2 && arguments[0] == "check") return Check(arguments[1]);
  return UsageError(kName, "it is `huygens config defaults` or `huygens config check FILE`; see --help");
}

}  // namespace

const Command kConfigCommand = {
    "config",
    "print the default configuration, or check a file",
    "Usage: huygens config defaults\n"
    "       huygens config check FILE\n\n"
    "defaults prints every field with its default and a comment. check reads FILE as "
    "`huygens extender --config FILE` would and prints every\n"
    "fault at once as FILE:LINE:COLUMN: field: what is wrong; of a file without fault it "
    "says what in it does nothing or is not safe. It does not open the files that FILE names.\n"
    "A file with the section webhook or controller and none of the extender's own is taken for that service's.\n\n"
    "  huygens config defaults > extender.yaml && huygens config check extender.yaml\n\n"
    "Exit codes: 0 ok, 1 the file has faults, 2 wrong usage, or the file cannot be read.\n",
    {},
    Run};

}  // namespace huygens::cli
