#include "wire/unknown_annotations.h"

#include <gtest/gtest.h>

#include "wire/pod.h"

namespace huygens::wire {
namespace {

std::vector<std::string> Unknown(const std::string& annotations) {
  const std::string json = Concat(R"({"metadata":{"name":"p","annotations":{)", annotations, "}}}");
  const ResourceNames names;
  const auto pod = DecodePod(json, names);
  EXPECT_TRUE(pod.ok()) << pod.status();
  std::vector<std::string> texts;
  for (const UnknownAnnotation& each : UnknownAnnotations(json, *pod)) texts.push_back(each.text);
  return texts;
}

TEST(UnknownAnnotations, NamesValuesThatThereAreNot) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      Unknown(R"("topology.crane.io/topology-awareness":"flase","topology.crane.io/cpu-policy":"numa")"),
      Texts{"annotation topology.crane.io/topology-awareness: there is no \"flase\", so it counts as absent; there "
            "are true, false"});
  EXPECT_EQ(
      Unknown(R"("topology.crane.io/cpu-policy":"exlusive","huygens.dev/smt":"Spread")"),
      (Texts{"annotation topology.crane.io/cpu-policy: there is no \"exlusive\", so it counts as absent; there are "
             "none, exclusive, numa, immovable",
             "annotation huygens.dev/smt: there is no \"Spread\", so it counts as absent; there are spread, pack, "
             "isolate"}));
}

TEST(UnknownAnnotations, SaysNothingOfKnownValuesAndOfOtherAnnotations) {
  EXPECT_TRUE(Unknown(R"("huygens.dev/smt":"spread","topology.crane.io/topology-awareness":"0")").empty());
  EXPECT_TRUE(Unknown(R"("a":"huygens.dev/smt")").empty()) << "a value that mentions one";
  EXPECT_TRUE(Unknown(R"("huygens.dev/smt":"")").empty());
}

}  // namespace
}  // namespace huygens::wire
