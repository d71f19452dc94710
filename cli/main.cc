// huygens SUBCOMMAND [FLAGS] [ARGUMENTS]: picks the subcommand; everything else is in its file.
#include "cli/command.h"

namespace huygens::cli {
namespace {

constexpr const Command* kCommands[] = {
    &kExtenderCommand, &kWebhookCommand, &kControllerCommand, &kPreflightCommand,  &kPlaceCommand,
    &kExplainCommand,  &kUsageCommand,   &kQuotaCommand,      &kRescheduleCommand, &kRecommendCommand,
    &kRulesCommand,    &kConfigCommand,  &kVersionCommand};

constexpr program::Program kProgram = {"huygens", "places pods on NUMA zones: an extender for kube-scheduler.",
                                       kCommands};

}  // namespace
}  // namespace huygens::cli

int main(int argc, char** argv) { return huygens::program::Run(huygens::cli::kProgram, argc, argv); }
