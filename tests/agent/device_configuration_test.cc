#include "agent/device_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/configuration.h"
#include "base/text.h"

namespace huygens::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

StatusOr<AgentConfiguration> ParseDevices(std::string_view devices) {
  return ParseAgentConfiguration(
      Concat("apiVersion: config.huygens.dev/v1alpha1\nkind: AgentConfiguration\ndevices:\n", devices), "agent.yaml");
}

std::string FaultOf(std::string_view devices) {
  const auto parsed = ParseDevices(devices);
  return parsed.ok() ? "" : std::string(Message(parsed.status()));
}

TEST(DeviceConfiguration, ReadsAllOfIt) {
  const auto parsed = ParseDevices(R"(
  pluginDirectory: /run/plugins
  files:
  - resource: example.com/fpga
    paths: ["/dev/fpga*", "/dev/card[0-3]"]
    permissions: rwm
    also: [/dev/fpgactl]
    mounts: [/usr/lib/fpga]
    healthCommand: [fpga-check, --quick]
    healthInterval: 1m
    healthLimit: 2s
    prepareCommand: [fpga-reset]
    prepareLimit: 10s
  pci:
  - resource: example.com/nic-vf
    vendors: ["8086"]
    devices: ["1889", "154C"]
    classes: ["02"]
    drivers: [vfio-pci]
    addresses: ["0000:3b:*"]
    physicalFunctions: [ens1f0]
    functions: virtual
    give: vfio
    interval: 10s
  counted:
  - {resource: example.com/licence, count: 12}
)");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const DevicesConfiguration& c = parsed->devices;
  EXPECT_TRUE(c.any());
  EXPECT_EQ(c.plugin_directory, "/run/plugins");
  EXPECT_THAT(c.files[0].paths, ElementsAre("/dev/fpga*", "/dev/card[0-3]"));
  EXPECT_EQ(c.files[0].permissions, "rwm");
  EXPECT_THAT(c.files[0].health, ElementsAre("fpga-check", "--quick"));
  EXPECT_EQ(c.files[0].health_limit, std::chrono::seconds(2));
  EXPECT_THAT(c.files[0].prepare, ElementsAre("fpga-reset"));
  EXPECT_THAT(c.pci[0].devices, ElementsAre("1889", "154C"));
  EXPECT_EQ(c.pci[0].kind, device_plugins::PciKind::kVirtual);
  EXPECT_EQ(c.pci[0].gives, device_plugins::PciGives::kVfio);
  EXPECT_THAT(c.pci[0].parents, ElementsAre("ens1f0"));
  EXPECT_EQ(c.counted[0].name, "example.com/licence");
  EXPECT_EQ(c.counted[0].count, 12);
  EXPECT_FALSE(ParseDevices("  files: []\n")->devices.any());
}

TEST(DeviceConfiguration, NamesLineAndPathOfEachFault) {
  EXPECT_EQ(FaultOf("  files:\n  - resource: gpu\n    paths: [dev/x]\n"),
            "agent.yaml:5:5: devices.files[0].resource: must be a name within a domain, such as example.com/fpga\n"
            "agent.yaml:6:13: devices.files[0].paths[0]: must be a path that begins with /");
  EXPECT_EQ(FaultOf("  counted:\n  - resource: example.com/a\n    cuont: 3\n"),
            "agent.yaml:6:5: devices.counted[0].cuont: no such field; did you mean count?");
  EXPECT_EQ(FaultOf("  files:\n  - {resource: a.b/c, paths: [/dev/x]}\n  counted:\n  - {resource: a.b/c, count: 1}\n"),
            "agent.yaml:7:6: devices.counted[0].resource: is also that of devices.files[0]; a name is served once");
}

TEST(DeviceConfiguration, RefusesWhatCannotBeMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"files: [{resource: a.b/c}]", "devices.files[0].paths: is missing, or empty"},
      {"files: [{paths: [/dev/x]}]", "devices.files[0].resource: is missing"},
      {"files: [{resource: a.b/c, paths: ['/dev/[x']}]", "has a [ without its ]"},
      {"files: [{resource: a.b/c, paths: [/dev/x], permissions: rx}]", "must be some of r, w and m"},
      {"files: [{resource: a.b/c, paths: [/dev/x], healthLimit: 2h}]", "healthLimit"},
      {"pci: [{resource: a.b/c}]", "devices.pci[0]: would be every PCI function of the node"},
      {"pci: [{resource: a.b/c, vendors: ['0x8086']}]", "must be hexadecimal digits"},
      {"pci: [{resource: a.b/c, vendors: ['8086'], functions: vf}]", "functions"},
      {"pci: [{resource: a.b/c, addresses: ['0000:3B:*']}]", "in small letters"},
      {"pci: [{resource: a.b/c, physicalFunctions: [x], functions: physical}]", "must not be physical"},
      {"counted: [{resource: a.b/c, count: -1}]", "count"},
      {"counted: [{resource: a.b/c, count: 1.5}]", "count"},
      {"counted: [{resource: hugepages-2Mi, count: 1}]", "within a domain"}};
  for (const auto& [yaml, fault] : cases) EXPECT_THAT(FaultOf(Concat("  ", yaml, "\n")), HasSubstr(fault)) << yaml;
}

TEST(ExtendedResource, IsANameThatKubeletTakes) {
  for (const char* good : {"example.com/fpga", "nvidia.com/gpu", "a/b", "xkubernetes.io/x"}) {
    EXPECT_EQ(FaultOfExtendedResource(good), "") << good;
  }
  for (const std::string& bad :
       {std::string("cpu"), std::string("kubernetes.io/x"), std::string("node.kubernetes.io/x"),
        std::string("requests.a/x"), std::string("a/b/c"), std::string("a/"), std::string("/b"), std::string(""),
        std::string("A.b/c"), std::string(245, 'a') + "/x"}) {
    EXPECT_NE(FaultOfExtendedResource(bad), "") << bad;
  }
}

TEST(DeviceConfiguration, IsPartOfTheDefaultsWhichReadBack) {
  const std::string defaults = AgentDefaultsYaml();
  EXPECT_THAT(defaults, HasSubstr("\ndevices:"));
  EXPECT_THAT(defaults, Not(HasSubstr("plugin_directory")));
  EXPECT_TRUE(ParseAgentConfiguration(defaults, "defaults").ok());
}

std::string Guide() {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(HUYGENS_SOURCE_DIR) / "docs" / "agent.md").rdbuf();
  return text.str();
}

TEST(DeviceConfiguration, HasEveryFieldInTheGuide) {
  const std::string guide = Guide();
  int fields = 0;
  for (const settings::FieldEntry& field : AgentFields()) {
    if (!field.path.starts_with("devices.") || field.kind == "list") continue;
    ++fields;
    EXPECT_THAT(guide, HasSubstr(Concat("`", field.path, "`"))) << field.path;
  }
  EXPECT_GT(fields, 20);
}

TEST(DeviceConfiguration, ReadsTheSampleAndWhatTheGuideShows) {
  const auto sample = LoadAgentConfiguration(HUYGENS_SOURCE_DIR "/config/samples/agent-devices.yaml");
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->devices.files.size(), 2U);
  EXPECT_EQ(sample->devices.pci.size(), 2U);
  EXPECT_EQ(sample->devices.counted.size(), 1U);
  const std::string guide = Guide();
  const size_t begin = guide.find("```yaml\n", guide.find("## Devices")) + 8;
  const auto shown = ParseAgentConfiguration(guide.substr(begin, guide.find("```", begin) - begin), "docs/agent.md");
  ASSERT_TRUE(shown.ok()) << shown.status();
  EXPECT_THAT(shown->devices.files[0].paths, ElementsAre("/dev/null", "/dev/zero"));
}

}  // namespace
}  // namespace huygens::agent
