// Pods as their objects say, of one core each.
#include "controller/pod_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/groups.h"
#include "workloads/object.h"

namespace huygens::controller {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

struct PodText {
  std::string name = "p";
  std::string group, owner;
  std::string cores = "1";
  std::string status = R"("phase":"Running")";

  std::string Json() const {
    const std::string labels = group.empty() ? "" : Concat(R"("biz.group.resource.quota":")", group, R"(")");
    const std::string owners = owner.empty()
                                   ? ""
                                   : Concat(R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","uid":")",
                                            owner, R"(","controller":true}],)");
    return Concat(R"({"metadata":{"name":")", name, R"(","namespace":"ns","uid":")", name, R"(",)", owners,
                  R"("labels":{)", labels, R"(}},"spec":{"containers":[{"resources":{"limits":{"cpu":")", cores,
                  R"("}}}]},"status":{)", status, "}}");
  }
};

constexpr char kScheduled[] =
    R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2025-01-01T00:05:00Z"},)"
    R"({"type":"PodScheduled","status":"True","lastTransitionTime":"2025-01-01T00:00:00Z"}])";

class PodSpansTest : public testing::Test {
 protected:
  workloads::WorkloadObject Decode(const std::string& kind, const std::string& json) {
    auto read = workloads::DecodeWorkload(kind == "Pod" ? "" : "apps", kind, json, names);
    EXPECT_TRUE(read.ok()) << read.status();
    return *std::move(read);
  }
  void SetOwner(const std::string& uid, const std::string& group) {
    known.Set(Decode("ReplicaSet", Concat(R"({"metadata":{"name":")", uid, R"(","namespace":"ns","uid":")", uid,
                                          R"(","labels":{"biz.group.resource.quota":")", group, R"("}},"spec":{}})")));
  }
  void Set(const PodText& pod, Time now) {
    spans.Set(
        Decode("Pod", pod.Json()), known, {names, classes, {}, {}},
        [this](std::string_view group) { return group != uncounted; }, now);
  }
  Time At(std::string_view text) { return *ParseRfc3339(text); }
  PodText Scheduled(std::string group = "team", std::string owner = "") {
    return {
        .group = std::move(group), .owner = std::move(owner), .status = Concat(R"("phase":"Running",)", kScheduled)};
  }

  ResourceNames names;
  quota::DeviceClasses classes;
  workloads::WorkloadIndex known;
  std::string uncounted = "none";
  PodSpans spans;
};

TEST_F(PodSpansTest, APodBeginsWhenItWasScheduled) {
  Set({.group = "team"}, kNow);
  EXPECT_THAT(spans.Of("team"), IsEmpty()) << "it has no node yet";
  Set(Scheduled(), kNow);
  ASSERT_THAT(spans.Of("team"), SizeIs(1));
  EXPECT_EQ(spans.Of("team")[0].span.start, At("2025-01-01T00:00:00Z"));
  EXPECT_FALSE(spans.Of("team")[0].span.end);
  EXPECT_EQ(quota::Get(spans.Of("team")[0].usage, "limits.cpu").Canonical(), "1");
}

TEST_F(PodSpansTest, WithoutTheConditionItBeginsWhenKubeletSawIt) {
  Set({.group = "team", .status = R"("phase":"Running","startTime":"2025-01-01T00:00:07Z")"}, kNow);
  ASSERT_THAT(spans.Of("team"), SizeIs(1));
  EXPECT_EQ(spans.Of("team")[0].span.start, At("2025-01-01T00:00:07Z"));
}

TEST_F(PodSpansTest, ItEndsWhenItsLastContainerDid) {
  PodText pod = Scheduled();
  pod.status = Concat(R"("phase":"Failed","containerStatuses":[)",
                      R"({"state":{"terminated":{"finishedAt":"2025-01-01T00:10:00Z"}}},)",
                      R"({"state":{"terminated":{"finishedAt":"2025-01-01T00:12:00Z"}}}],)", kScheduled);
  Set(pod, kNow);
  Set(pod, kNow + minutes(1));
  ASSERT_THAT(spans.Of("team"), SizeIs(1)) << "once, however often it is told";
  EXPECT_EQ(spans.Of("team")[0].span.end, At("2025-01-01T00:12:00Z"));
}

TEST_F(PodSpansTest, OneThatWasEvictedEndsWhenItsConditionsChangedLast) {
  PodText pod = Scheduled();
  pod.status = Concat(R"("phase":"Failed",)", kScheduled);
  Set(pod, kNow);
  ASSERT_THAT(spans.Of("team"), SizeIs(1));
  EXPECT_EQ(spans.Of("team")[0].span.end, At("2025-01-01T00:05:00Z"));
}

TEST_F(PodSpansTest, OneThatIsGoneEndsThen) {
  Set(Scheduled(), kNow);
  spans.Gone("p", kNow + minutes(3));
  ASSERT_THAT(spans.Of("team"), SizeIs(1));
  EXPECT_EQ(spans.Of("team")[0].span.end, kNow + minutes(3));
  EXPECT_FALSE(spans.AnyRuns("team"));
  spans.Counted("team", kNow + minutes(2));
  EXPECT_THAT(spans.Of("team"), SizeIs(1)) << "not counted yet";
  spans.Counted("team", kNow + minutes(3));
  EXPECT_THAT(spans.Of("team"), IsEmpty());
}

TEST_F(PodSpansTest, ItIsOfTheOutermostOwnerThatNamesAGroup) {
  SetOwner("rs", "other");
  Set(Scheduled("team", "rs"), kNow);
  EXPECT_THAT(spans.Of("team"), IsEmpty());
  EXPECT_THAT(spans.Of("other"), SizeIs(1));
}

TEST_F(PodSpansTest, AnOwnerThatIsNotKnownYetIsAskedForAgain) {
  Set(Scheduled("", "rs"), kNow);
  EXPECT_THAT(spans.Of("team"), IsEmpty());
  EXPECT_THAT(spans.Unresolved(), testing::ElementsAre("p"));
  SetOwner("rs", "team");
  Set(Scheduled("", "rs"), kNow + minutes(1));
  EXPECT_THAT(spans.Unresolved(), IsEmpty());
  ASSERT_THAT(spans.Of("team"), SizeIs(1));
  EXPECT_EQ(spans.Of("team")[0].span.start, At("2025-01-01T00:00:00Z")) << "it was its all the time";
}

TEST_F(PodSpansTest, WhoseOwnerIsGoneStaysWhoseItWas) {
  SetOwner("rs", "team");
  Set(Scheduled("", "rs"), kNow);
  known.Remove("rs");
  Set(Scheduled("", "rs"), kNow + minutes(1));
  EXPECT_TRUE(spans.AnyRuns("team"));
}

TEST_F(PodSpansTest, InAnotherGroupOrWithOtherAmountsItStartsAnew) {
  Set(Scheduled(), kNow);
  PodText larger = Scheduled();
  larger.cores = "3";
  Set(larger, kNow + minutes(1));
  auto pods = spans.Of("team");
  ASSERT_THAT(pods, SizeIs(2));
  EXPECT_EQ(pods[0].span.start, kNow + minutes(1));
  EXPECT_EQ(quota::Get(pods[0].usage, "limits.cpu").Canonical(), "3");
  EXPECT_EQ(pods[1].span.end, kNow + minutes(1));
  larger.group = "other";
  Set(larger, kNow + minutes(2));
  EXPECT_FALSE(spans.AnyRuns("team"));
  ASSERT_THAT(spans.Of("other"), SizeIs(1));
  EXPECT_EQ(spans.Of("other")[0].span.start, kNow + minutes(2));
}

TEST_F(PodSpansTest, OfGroupsWhoseHoursAreNotCountedNothingIsKept) {
  uncounted = "team";
  Set(Scheduled(), kNow);
  EXPECT_THAT(spans.Of("team"), IsEmpty());
}

}  // namespace
}  // namespace huygens::controller
