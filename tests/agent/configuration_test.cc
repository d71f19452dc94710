#include "agent/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/agent.h"
#include "base/text.h"

namespace huygens::agent {
namespace {

using testing::HasSubstr;

constexpr std::string_view kHead = "apiVersion: config.huygens.dev/v1alpha1\nkind: AgentConfiguration\n";

std::string FaultsOf(std::string_view yaml) {
  return std::string(Message(ParseAgentConfiguration(Concat(kHead, yaml), "agent.yaml").status()));
}

TEST(AgentConfiguration, DefaultsReadAsTheyWerePrinted) {
  const auto read = ParseAgentConfiguration(AgentDefaultsYaml(), "agent.yaml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->admin_address, AgentConfiguration().admin_address);
  EXPECT_EQ(read->kubelet.interval, AgentConfiguration().kubelet.interval);
  EXPECT_TRUE(ParseAgentConfiguration(kHead, "agent.yaml").ok());
}

TEST(AgentConfiguration, FaultsNamePlaceAndNearestName) {
  EXPECT_EQ(FaultsOf("kubelet:\n  urll: x\n"), "agent.yaml:4:3: kubelet.urll: no such field; did you mean url?");
  EXPECT_THAT(FaultsOf("directory: /var/lib/kubelet\n"), HasSubstr("did you mean kubelet.directory?"));
  EXPECT_THAT(FaultsOf("root: var\n"), HasSubstr("agent.yaml:3:1: root: must be a path that begins with /"));
  EXPECT_THAT(FaultsOf("adminAddress: :8891\n"), HasSubstr("adminAddress: is not loopback"));
  EXPECT_EQ(FaultsOf("adminAddress: :8891\nallowPlainHTTPAdmin: true\n"), "");
  EXPECT_THAT(FaultsOf("kubelet: {url: \"http://10.0.0.1:10250\"}\n"), HasSubstr("must begin with https://"));
  EXPECT_THAT(std::string(Message(ParseAgentConfiguration("kind: ExtenderConfiguration", "a.yaml").status())),
              HasSubstr("kind: must be AgentConfiguration"));
}

TEST(AgentConfiguration, EveryFieldIsInTheGuide) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(HUYGENS_SOURCE_DIR) / "docs" / "agent.md").rdbuf();
  for (const settings::FieldEntry& field : AgentFields()) {
    if (field.path == "apiVersion" || field.path == "kind") continue;
    if (field.path.starts_with("devices") || field.path.starts_with("pin")) continue;  // in guides of their own
    EXPECT_THAT(text.str(), HasSubstr(Concat("`", field.path, "`"))) << field.path;
  }
}

TEST(StartAgent, SaysWhichVariableIsMissing) {
  net::EventLoop loop;
  SystemClock clock;
  observe::Log log(clock, observe::LogLevel::kError, observe::LogFormat::kText);
  const auto fault = [&](const AgentConfiguration& configuration, std::string_view node) {
    return std::string(Message(StartAgent(configuration, loop, log, clock, [&](const char* name) {
                                 return std::string(std::string_view(name) == "NODE_NAME" ? node : "");
                               }).status()));
  };
  EXPECT_THAT(fault({}, ""), HasSubstr("NODE_NAME"));
  EXPECT_THAT(fault({}, "n1"), HasSubstr("HOST_IP"));
}

}  // namespace
}  // namespace huygens::agent
