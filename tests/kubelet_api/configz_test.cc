#include "kubelet_api/configz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/kubelet_api/recordings.h"

namespace huygens::kubelet_api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

RunningConfiguration Decode(std::string_view json) {
  StatusOr<RunningConfiguration> decoded = DecodeConfigz(json);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return std::move(decoded).value_or(RunningConfiguration());
}

RunningConfiguration Of(std::string_view fields) { return Decode(Concat(R"({"kubeletconfig":{)", fields, "}}")); }

TEST(Configz, IsReadAsRealKubeletsAnswer) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const RunningConfiguration none = Decode(testing::Recorded("none", "configz.json"));
  EXPECT_FALSE(none.PinsCpus());
  EXPECT_EQ(none.memory_manager_policy, "None");
  const RunningConfiguration options = Decode(testing::Recorded("static-restricted-options", "configz.json"));
  EXPECT_TRUE(options.PinsCpus());
  EXPECT_THAT(options.cpu_manager_options,
              ElementsAre(Pair("distribute-cpus-across-numa", "true"), Pair("full-pcpus-only", "true")));
  EXPECT_EQ(options.memory_manager_policy, "Static");
  EXPECT_EQ(options.topology_manager_policy, "restricted");
  EXPECT_EQ(options.topology_manager_scope, "container");
  EXPECT_THAT(options.topology_manager_options, ElementsAre(Pair("prefer-closest-numa-nodes", "true")));
  EXPECT_FALSE(options.reserved_cpus);
  EXPECT_EQ(ReservedOf(options, "cpu").MilliValue(), 2000);
  EXPECT_EQ(ReservedOf(options, "memory").Value(), int64_t{924} << 20);
  ASSERT_THAT(options.reserved_memory, SizeIs(4));
  EXPECT_EQ(options.reserved_memory[3].zone, 3);
  EXPECT_THAT(options.eviction_hard, ElementsAre(Pair("memory.available", "100Mi")));
}

TEST(Configz, CountsReservedCpusOnceThoughKubeletNamesTheirNumberBesides) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const RunningConfiguration single = Decode(testing::Recorded("static-single-numa-pod", "configz.json"));
  ASSERT_TRUE(single.reserved_cpus);
  EXPECT_THAT(*single.reserved_cpus, ElementsAre(0, 8));
  EXPECT_EQ(ReservedOf(single, "cpu").Value(), 2);
  EXPECT_EQ(
      ReservedOf(Of(R"("reservedSystemCPUs":"0-3","systemReserved":{"cpu":"4"},"kubeReserved":{"cpu":"1"})"), "cpu")
          .Value(),
      4);
}

TEST(Configz, TakesWhatIsNotThereForKubeletsDefaults) {
  EXPECT_EQ(Of(""), RunningConfiguration());
  EXPECT_EQ(Of(R"("cpuManagerPolicy":"","reservedSystemCPUs":"","topologyManagerScope":null)"), RunningConfiguration());
  EXPECT_TRUE(ReservedOf(Of(""), "cpu").IsZero());
}

TEST(Configz, SaysWhatCannotBeRead) {
  const auto fault = [](std::string_view json) { return std::string(Message(DecodeConfigz(json).status())); };
  EXPECT_THAT(fault(""), HasSubstr("/configz"));
  EXPECT_THAT(fault("{}"), HasSubstr("no kubeletconfig"));
  EXPECT_THAT(fault(R"({"kubeletconfig":null})"), HasSubstr("no kubeletconfig"));
  EXPECT_THAT(fault(R"({"kubeletconfig":{"systemReserved":{"cpu":"two"}}})"), HasSubstr("systemReserved"));
  EXPECT_THAT(fault(R"({"kubeletconfig":{"kubeReserved":{"cpu":"-1"}}})"), HasSubstr("negative"));
  EXPECT_THAT(fault(R"({"kubeletconfig":{"reservedSystemCPUs":"3-1"}})"), HasSubstr("reservedSystemCPUs"));
  EXPECT_THAT(fault(R"({"kubeletconfig":{"cpuManagerPolicyOptions":{"a":true}}})"),
              HasSubstr("cpuManagerPolicyOptions"));
}

}  // namespace
}  // namespace huygens::kubelet_api
