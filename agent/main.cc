// huygens-agent SUBCOMMAND [FLAGS]: picks the subcommand; everything else is in its file.
#include "agent/command.h"

namespace huygens::agent {
namespace {

constexpr const program::Command* kCommands[] = {&kRunCommand, &kConfigCommand, &kShowCommand, &kDoctorCommand,
                                                 &kVersionCommand};

constexpr program::Program kProgram = {
    "huygens-agent", "is the node's side of huygens: it tells the cluster of the zones of the machine that it runs on.",
    kCommands};

}  // namespace
}  // namespace huygens::agent

int main(int argc, char** argv) { return huygens::program::Run(huygens::agent::kProgram, argc, argv); }
