#include "program/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "cli/command.h"
#include "cli/output_format.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;

StatusOr<std::vector<std::string>> Parse(std::vector<std::string> arguments) {
  std::vector<char*> pointers{const_cast<char*>("explain")};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  auto rest = program::ParseFlags(pointers, kExplainCommand.flags);
  if (!rest.ok()) return rest.status();
  return std::vector<std::string>(rest->begin(), rest->end());
}

TEST(ParseFlags, TakesDashesAndBothWaysToGiveAValue) {
  const absl::FlagSaver saved;
  EXPECT_THAT(*Parse({"--admin-url", "http://a-b", "pod-1", "-o=json"}), ElementsAre("pod-1"));
  EXPECT_EQ(absl::GetFlag(FLAGS_admin_url), "http://a-b");
  EXPECT_EQ(absl::GetFlag(FLAGS_o), "json");
  EXPECT_THAT(*Parse({"--admin_url=http://c", "--", "--bogus"}), ElementsAre("--bogus"));
  EXPECT_EQ(absl::GetFlag(FLAGS_admin_url), "http://c");
}

TEST(ParseFlags, AFlagThatTheSubcommandDoesNotHaveIsWrongUsage) {
  // Abseil's own among them, and those of other subcommands.
  for (const char* flag : {"--bogus", "--bo-gus=1", "-z", "--helpfull", "--flagfile=x", "--kubeconfig=x", "--config",
                           "--ca-file", "--limit=1", "--key"}) {
    const Status status = Parse({"--admin-url", "http://a", flag}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
    EXPECT_EQ(Message(status), Concat("it has no flag ", name, "; see --help"));
  }
  EXPECT_EQ(Message(Parse({"pod", "--admin-url"}).status()), "--admin-url needs a value; see --help");
  EXPECT_EQ(Message(Parse({"-o", "-"}).status()), "-o: standard input (-) is not read; give a file");
}

TEST(Commands, HaveFlagsThatThereAre) {
  for (const Command* command :
       {&kExtenderCommand, &kWebhookCommand, &kControllerCommand, &kPreflightCommand, &kPlaceCommand, &kExplainCommand,
        &kUsageCommand, &kQuotaCommand, &kRecommendCommand, &kConfigCommand, &kVersionCommand}) {
    for (const std::string_view name : command->flags) {
      const auto* flag = absl::FindCommandLineFlag(ToAbsl(name));
      ASSERT_NE(flag, nullptr) << command->name << " " << name;
      EXPECT_TRUE(flag->IsOfType<std::string>()) << "ParseFlags takes each to have a value: " << name;
    }
  }
}

}  // namespace
}  // namespace huygens::cli
