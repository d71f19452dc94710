#include <cstdio>

#include "base/text.h"
#include "cli/command.h"

namespace huygens::cli {

namespace {
int Run(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError("version", Concat("unexpected argument ", arguments[0], "; see --help"));
  std::fputs(program::VersionText("huygens").c_str(), stdout);
  return kOk;
}
}  // namespace

const Command kVersionCommand = {
    "version",
    "print version and commit",
    "Usage: huygens version\n\nPrints version and commit, e.g. \"huygens 0.1.0 (commit 1a2b3c4)\".\n",
    {},
    Run};

}  // namespace huygens::cli
