#include "cli/pod_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "wire/pod.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Of(std::string_view labels, std::string_view annotations) {
  const std::string json =
      Concat(R"({"metadata":{"name":"p","labels":{)", labels, R"(},"annotations":{)", annotations, R"(}},"spec":{}})");
  ResourceNames names;
  const auto pod = wire::DecodePod(json, names);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return NotUnderstood(json, *pod);
}

TEST(PodKeys, SaysWhichKeysAreMisspeltMisplacedOrOfNoValue) {
  EXPECT_THAT(Of(R"("biz.group.resource.quota/cputype":"A4","huygens.dev/smt":"pack")", ""),
              ElementsAre("label biz.group.resource.quota/cputype: nobody reads it; did you mean "
                          "biz.group.resource.quota/cpu-type?",
                          "label huygens.dev/smt: nobody reads it there; it belongs among the annotations"));
  EXPECT_THAT(Of(R"("biz.group.resource.qouta":"t")", ""), ElementsAre(HasSubstr("mean biz.group.resource.quota?")));
  EXPECT_THAT(
      Of("", R"("topology.crane.io/topology-awarness":"true","topology.crane.io/cpu-policy":"exlusive")"),
      ElementsAre(
          HasSubstr("annotation topology.crane.io/topology-awarness: nobody reads it; did you mean "
                    "topology.crane.io/topology-awareness?"),
          HasSubstr("annotation topology.crane.io/cpu-policy: there is no \"exlusive\", so it counts as absent; "
                    "there are none, exclusive")));
}

TEST(PodKeys, SaysNothingOfWhatIsRightAndOfWhatOthersRead) {
  EXPECT_THAT(Of(R"("app":"web","biz.group.resource.quota":"t","biz.group.resource.quota/gpu-type":"T4",)"
                 R"("example.com/smt":"pack","biz.group":"x")",
                 R"("huygens.dev/smt":"pack","topology.crane.io/topology-result":"[]","huygens.dev/placement":"{}",)"
                 R"("topology.crane.io/numa-balancing":"on","kubernetes.io/smt":"x","cpu-policy":"none")"),
              IsEmpty());
}

}  // namespace
}  // namespace huygens::cli
