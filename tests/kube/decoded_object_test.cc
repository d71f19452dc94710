#include "kube/decoded_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/objects.h"

namespace huygens::kube {
namespace {

using cluster::BizGroupQuotaGone;
using cluster::BizGroupQuotaSet;
using cluster::Kind;
using testing::StartsWith;

TEST(PodEvents, APodThatWaitsArrivesWithWhatNobodyUnderstandsOfIt) {
  ResourceNames names;
  const auto decoded = DecodePresent(
      Kind::kPod, R"({"metadata":{"name":"p","uid":"u","annotations":{"huygens.dev/smt":"spred"}},"spec":{}})", names);
  ASSERT_TRUE(decoded.event);
  const auto& pod = *std::get<cluster::PodSet>(*decoded.event).pod;
  ASSERT_TRUE(pod.waiting);
  ASSERT_EQ(pod.waiting->not_understood.size(), 1U);
  EXPECT_THAT(pod.waiting->not_understood[0], StartsWith("annotation huygens.dev/smt: there is no \"spred\""));
}

class GroupEventsTest : public testing::Test {
 protected:
  DecodedObject Present(std::string_view json) { return DecodePresent(Kind::kBizGroupQuota, json, names_); }
  ResourceNames names_;
};

TEST_F(GroupEventsTest, AGroupArrivesWithItsBudget) {
  const auto decoded = Present(fake::BizGroupQuota("team").Parent("org").Hard("limits.cpu", "4").Json());
  EXPECT_TRUE(decoded.fault.ok()) << decoded.fault;
  ASSERT_TRUE(decoded.event);
  const auto& group = std::get<BizGroupQuotaSet>(*decoded.event).group;
  EXPECT_EQ(group.name, "team");
  EXPECT_EQ(group.parent, "org");
  ASSERT_EQ(group.hard.size(), 1u);
  EXPECT_EQ(group.hard[0].second.Text(), "4");
}

// Its pods must be refused by name rather than pass as those of a group that limits nothing.
TEST_F(GroupEventsTest, AGroupThatCannotBeUsedArrivesWithItsDefectAndWithoutABudget) {
  for (const auto& [json, why] : {
           std::pair(fake::BizGroupQuota("team").Hard("limits.cpu", "many").Json(), "spec.hard.limits.cpu: "),
           std::pair(fake::BizGroupQuota("team").Hard("limits.cpu", "-1").Json(), "spec.hard.limits.cpu is negative"),
           std::pair(std::string(R"({"metadata":{"name":"team"},"spec":7})"), "spec: expected an object"),
       }) {
    const auto decoded = Present(json);
    EXPECT_THAT(std::string(Message(decoded.fault)), StartsWith(why));
    EXPECT_EQ(decoded.name, "team");
    ASSERT_TRUE(decoded.event) << json;
    const auto& group = std::get<BizGroupQuotaSet>(*decoded.event).group;
    EXPECT_EQ(group.name, "team");
    EXPECT_EQ(group.defect, Message(decoded.fault));
    EXPECT_TRUE(group.hard.empty());
  }
}

TEST_F(GroupEventsTest, AGroupWhoseStatusCannotBeReadIsUsedWithoutIt) {
  const auto decoded = Present(R"({"metadata":{"name":"team"},"spec":{"hard":{"pods":"4"}},"status":{"selfUsed":7}})");
  EXPECT_THAT(std::string(Message(decoded.fault)), StartsWith("status.selfUsed: "));
  EXPECT_TRUE(decoded.in_use);
  ASSERT_TRUE(decoded.event);
  const auto& group = std::get<BizGroupQuotaSet>(*decoded.event).group;
  EXPECT_EQ(group.defect, "");
  EXPECT_EQ(group.hard.size(), 1u);
}

TEST_F(GroupEventsTest, AGroupWithADefectIsNotInUseWhateverItsStatusSays) {
  const auto decoded =
      Present(R"({"metadata":{"name":"team"},"spec":{"hard":{"limits.cpu":"-1"}},"status":{"selfUsed":7}})");
  EXPECT_FALSE(decoded.fault.ok());
  EXPECT_FALSE(decoded.in_use);
}

TEST_F(GroupEventsTest, WithoutANameNothingIsBelieved) {
  for (const char* json : {R"({"spec":{"hard":{}}})", "{", "[]"}) {
    const auto decoded = Present(json);
    EXPECT_FALSE(decoded.fault.ok()) << json;
    EXPECT_FALSE(decoded.event) << json;
  }
}

TEST_F(GroupEventsTest, ADeletedGroupGoesWhateverItsLastStateWas) {
  for (const std::string& json : {fake::BizGroupQuota("team").Hard("limits.cpu", "4").Json(),
                                  std::string(R"({"metadata":{"name":"team"},"spec":"unreadable"})")}) {
    const auto decoded = DecodeDeleted(Kind::kBizGroupQuota, json);
    EXPECT_TRUE(decoded.fault.ok()) << decoded.fault;
    ASSERT_TRUE(decoded.event);
    EXPECT_EQ(std::get<BizGroupQuotaGone>(*decoded.event).name, "team");
  }
}

}  // namespace
}  // namespace huygens::kube
