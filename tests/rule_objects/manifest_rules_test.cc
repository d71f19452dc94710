#include "rule_objects/manifest_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/fake/temporary_directory.h"

namespace huygens::rule_objects {
namespace {

using testing::HasSubstr;

constexpr std::string_view kRule = R"(
apiVersion: huygens.dev/v1alpha1
kind: SchedulingRule
metadata: {name: first}
spec:
  selector: {kinds: [Pod]}
  inject: {priorityClassName: high}
)";

TEST(ManifestRules, AreThoseOfTheDirectoryWithWhatTheyGoBy) {
  const fake::TemporaryDirectory directory;
  directory.Write("rule.yaml", kRule);
  directory.Write("shop.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}");
  ManifestRules rules;
  ASSERT_TRUE(rules.Load(directory.path()).ok());
  ASSERT_EQ(rules.rules()->rules().size(), 1U);
  EXPECT_THAT(rules.rules()->rules()[0].defect, HasSubstr("there is no PriorityClass high"));
  ASSERT_NE(rules.NamespaceLabels("shop"), nullptr);
  EXPECT_THAT(
      *rules.NamespaceLabels("shop"),
      testing::UnorderedElementsAre(testing::Pair("team", "a"), testing::Pair("kubernetes.io/metadata.name", "shop")));

  directory.Write("class.yaml", "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}}");
  ManifestRules again;
  ASSERT_TRUE(again.Load(directory.path()).ok());
  EXPECT_EQ(again.rules()->rules()[0].defect, "");
}

TEST(ManifestRules, TwoOfOneNameAreAFault) {
  const fake::TemporaryDirectory directory;
  directory.Write("a.yaml", kRule);
  directory.Write("b.yaml", kRule);
  EXPECT_THAT(std::string(Message(ManifestRules().Load(directory.path()))), HasSubstr("a second SchedulingRule first"));
}

}  // namespace
}  // namespace huygens::rule_objects
