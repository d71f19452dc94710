#include <cstdio>

#include "agent/command.h"
#include "base/text.h"

namespace huygens::agent {

namespace {
int PrintVersion(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError("version", Concat("unexpected argument ", arguments[0], "; see --help"));
  std::fputs(program::VersionText("huygens-agent").c_str(), stdout);
  return program::kOk;
}
}  // namespace

const program::Command kVersionCommand = {
    "version",
    "print version and commit",
    "Usage: huygens-agent version\n\nPrints version and commit, e.g. \"huygens-agent 0.1.0 (commit 1a2b3c4)\".\n",
    {},
    PrintVersion};

}  // namespace huygens::agent
