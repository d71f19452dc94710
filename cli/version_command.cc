#include <cstdio>

#include "cli/command.h"

namespace huygens::cli {

namespace {
int Run(std::span<const std::string_view>) {
  std::printf("huygens %s\n", HUYGENS_VERSION);
  return kOk;
}
}  // namespace

const Command kVersionCommand = {"version", "print the version",
                                 "Usage: huygens version\n\nPrints the version, e.g. \"huygens 0.1.0\".\n", Run};

}  // namespace huygens::cli
