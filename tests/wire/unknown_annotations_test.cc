#include "wire/unknown_annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "wire/pod.h"

namespace huygens::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Unknown(std::string_view annotations, std::string_view labels = "") {
  const std::string json =
      Concat(R"({"metadata":{"name":"p","labels":{)", labels, R"(},"annotations":{)", annotations, R"(}},"spec":{}})");
  ResourceNames names;
  const auto pod = DecodePod(json, names);
  EXPECT_TRUE(pod.ok()) << pod.status();
  std::vector<std::string> texts;
  for (const UnknownAnnotation& each : UnknownAnnotations(json, *pod)) texts.push_back(each.text);
  return texts;
}

TEST(UnknownAnnotations, NamesValuesThatThereAreNot) {
  EXPECT_THAT(
      Unknown(R"("topology.crane.io/topology-awareness":"flase","topology.crane.io/cpu-policy":"numa")"),
      ElementsAre("annotation topology.crane.io/topology-awareness: there is no \"flase\", so it counts as absent; "
                  "there are true, false"));
  EXPECT_THAT(
      Unknown(R"("topology.crane.io/cpu-policy":"exlusive","huygens.dev/smt":"Spread")"),
      ElementsAre(
          "annotation topology.crane.io/cpu-policy: there is no \"exlusive\", so it counts as absent; there are "
          "none, exclusive, numa, immovable",
          "annotation huygens.dev/smt: there is no \"Spread\", so it counts as absent; there are spread, pack, "
          "isolate"));
}

TEST(UnknownAnnotations, NamesKeysThatAreMisspeltOrMisplaced) {
  EXPECT_THAT(Unknown("", R"("biz.group.resource.quota/cputype":"A4","huygens.dev/smt":"pack")"),
              ElementsAre("label biz.group.resource.quota/cputype: nobody reads it; did you mean "
                          "biz.group.resource.quota/cpu-type?",
                          "label huygens.dev/smt: nobody reads it there; it belongs among the annotations"));
  EXPECT_THAT(Unknown(R"("biz.group.resource.quota":"t")"), ElementsAre(HasSubstr("it belongs among the labels")));
  EXPECT_THAT(Unknown(R"("biz.group.resource.quota/cpu-type":"A4")", R"("biz.group.resource.quota":"t")"),
              ElementsAre(HasSubstr("it belongs among the labels")));
  EXPECT_THAT(Unknown("", R"("biz.group.resource.qouta":"t")"),
              ElementsAre(HasSubstr("mean biz.group.resource.quota?")));
  EXPECT_THAT(Unknown(R"("topology.crane.io/topology-awarness":"true","topology.crane.io/cpu-policy":"exlusive")"),
              ElementsAre("annotation topology.crane.io/topology-awarness: nobody reads it; did you mean "
                          "topology.crane.io/topology-awareness?",
                          HasSubstr("annotation topology.crane.io/cpu-policy: there is no \"exlusive\"")));
}

TEST(UnknownAnnotations, NamesKeysOfTheRightNameAfterAWrongDomain) {
  for (const auto& [wrong, right] :
       {std::pair("crane.io/topology-awareness", "topology.crane.io/topology-awareness"),
        std::pair("topology.crane.oi/cpu-policy", "topology.crane.io/cpu-policy"),
        std::pair("huygens.dev/topology-awareness", "topology.crane.io/topology-awareness"),
        std::pair("huygens.dev/cpu-policy", "topology.crane.io/cpu-policy"),
        std::pair("hugens.dev/smt", "huygens.dev/smt"), std::pair("topology.crane.io/smt", "huygens.dev/smt")}) {
    const std::string fault = Concat("annotation ", wrong, ": nobody reads it; did you mean ", right, "?");
    EXPECT_THAT(Unknown(Concat("\"", wrong, R"(":"x")")), ElementsAre(fault));
    EXPECT_THAT(
        Unknown(Concat(R"("huygens.dev/smt":"pack","topology.crane.io/cpu-policy":"numa",")", wrong, R"(":"x")")),
        ElementsAre(fault));
  }
}

TEST(UnknownAnnotations, AreFewWhateverSomebodyWrites) {
  std::string annotations = R"("huygens.dev/smt":"x")";
  for (int i = 0; i < 5000; ++i)
    annotations += Concat(R"(,"huygens.dev/placement-obsrved)", std::to_string(i), R"(":"")");
  EXPECT_THAT(Unknown(annotations), testing::SizeIs(9)) << "eight keys and the value";
}

TEST(UnknownAnnotations, AreNotThoseThatARuleAsksFor) {
  const std::string json =
      R"({"metadata":{"annotations":{"huygens.dev/smtt":"a"},"labels":{"biz.group.resource.qouta":"b"}}})";
  ResourceNames names;
  names.KeepOfPods({.labels = {"biz.group.resource.qouta"}, .annotations = {"huygens.dev/smtt"}});
  EXPECT_THAT(UnknownAnnotations(json, *DecodePod(json, names)), IsEmpty());
}

TEST(UnknownAnnotations, CountKeysAsOthers) {
  const std::string json = R"({"metadata":{"annotations":{"huygens.dev/smtt":"a","huygens.dev/smt":"b"}}})";
  ResourceNames names;
  const auto all = UnknownAnnotations(json, *DecodePod(json, names));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key, "other");
  EXPECT_EQ(all[1].key, "huygens.dev/smt");
}

TEST(UnknownAnnotations, AreKeptInAPodThatHasNoNode) {
  ResourceNames names;
  const auto kept = [&](std::string_view spec) {
    const std::string json = Concat(R"({"metadata":{"annotations":{"huygens.dev/smt":"b"}},)", spec, "}");
    cluster::Pod pod = *DecodePod(json, names);
    KeepUnknownAnnotations(json, pod);
    return pod.waiting ? pod.waiting->not_understood.size() : 0;
  };
  EXPECT_EQ(kept(R"("spec":{})"), 1U);
  EXPECT_EQ(kept(R"("spec":{"nodeSelector":{"a":"b"}})"), 1U);
  EXPECT_EQ(kept(R"("spec":{"nodeName":"n"})"), 0U);
}

TEST(UnknownAnnotations, SaysNothingOfWhatIsRightAndOfWhatOthersRead) {
  EXPECT_THAT(Unknown(R"("huygens.dev/smt":"spread","topology.crane.io/topology-awareness":"0")"), IsEmpty());
  EXPECT_THAT(Unknown(R"("a":"huygens.dev/smt")"), IsEmpty()) << "a value that mentions one";
  EXPECT_THAT(Unknown(R"("huygens.dev/smt":"")"), IsEmpty());
  EXPECT_THAT(Unknown(R"("huygens.dev/smt":"pack","topology.crane.io/topology-result":"[]",)"
                      R"("huygens.dev/placement":"{}","topology.crane.io/numa-balancing":"on",)"
                      R"("kubernetes.io/smt":"x","cpu-policy":"none")",
                      R"("app":"web","biz.group.resource.quota":"t","biz.group.resource.quota/gpu-type":"T4",)"
                      R"("example.com/smt":"pack","biz.group":"x")"),
              IsEmpty());
}

}  // namespace
}  // namespace huygens::wire
