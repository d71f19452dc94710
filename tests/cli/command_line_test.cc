#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "cli/output_format.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StatusOr<std::vector<std::string>> Parse(std::vector<std::string> arguments) {
  std::vector<char*> pointers{const_cast<char*>("explain")};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  auto rest = ParseFlags(pointers);
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

TEST(ParseFlags, AFlagThatNobodyHasIsWrongUsage) {
  for (const char* flag : {"--bogus", "--bo-gus=1", "-z", "--helpfull", "--flagfile=x"}) {
    const Status status = Parse({"--admin-url", "http://a", flag}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(
        std::string(Message(status)),
        HasSubstr(Concat("no flag is called ", std::string(flag).substr(0, std::string(flag).find('=')), "; see")));
  }
  EXPECT_EQ(Message(Parse({"pod", "--admin-url"}).status()), "--admin-url needs a value; see --help");
}

}  // namespace
}  // namespace huygens::cli
