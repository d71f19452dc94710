#include "controller/config_map_hours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "json/document.h"
#include "tests/base/clock.h"
#include "tests/fake/api_server.h"

namespace huygens::controller {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class ConfigMapHoursTest : public testing::Test {
 protected:
  ConfigMapHoursTest() {
    EXPECT_TRUE(calls_.Begin([] { return seconds(20); }).ok());
  }
  ~ConfigMapHoursTest() override { calls_.End(); }

  static LeftHours Left(int64_t units, Duration later = {}) {
    return {{{"limits.cpu", std::to_string(units)}}, std::chrono::floor<seconds>(test::kNow + later)};
  }
  Status Keep(const std::string& group, const LeftHours& left) {
    std::optional<Status> answer;
    hours_.Keep(group, left, [&](const Status& status) { answer = status; });
    while (!answer) loop_.Poll();
    return *answer;
  }
  StatusOr<std::optional<LeftHours>> Find(const std::string& group) {
    std::optional<StatusOr<std::optional<LeftHours>>> answer;
    hours_.Find(group, [&](const auto& found) { answer = found; });
    while (!answer) loop_.Poll();
    return *answer;
  }
  std::string Stored() const { return api_.Get(fake::kConfigMaps, "kube-system", kHoursConfigMap); }

  fake::ApiServer api_;
  net::EventLoop loop_;
  reconcile::LeaderCalls calls_{loop_, api_.Options(), 1};
  ConfigMapHours hours_{calls_, "kube-system"};
};

TEST_F(ConfigMapHoursTest, FindsWhatWasKept) {
  EXPECT_EQ(Find("org").value(), std::nullopt);
  ASSERT_TRUE(Keep("org", Left(5)).ok());
  ASSERT_TRUE(Keep("ads", Left(7)).ok());
  EXPECT_EQ(Find("org").value(), Left(5));
  EXPECT_EQ(Find("ads").value(), Left(7));
  EXPECT_EQ(Find("or").value(), std::nullopt);
  ASSERT_TRUE(Keep("org", Left(6, seconds(60))).ok());
  EXPECT_EQ(Find("org").value(), Left(6, seconds(60)));
}

TEST_F(ConfigMapHoursTest, SomebodyElsesChangeInBetweenIsNotOverwritten) {
  ASSERT_TRUE(Keep("org", Left(5)).ok());
  auto gate = std::make_shared<fake::Gate>();
  api_.Inject({.what = fake::Fault::What::kHold, .method = "PATCH", .path = "/configmaps", .gate = gate});
  std::optional<Status> answer;
  hours_.Keep("ads", Left(7), [&](const Status& status) { answer = status; });
  ASSERT_TRUE(gate->AwaitArrival());
  api_.Put(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"kube-system",)"
           R"("name":"huygens-controller-hours"},"data":{}})");
  gate->Open();
  while (!answer) loop_.Poll();
  EXPECT_TRUE(absl::IsAborted(*answer)) << *answer;
  EXPECT_EQ(Find("ads").value(), std::nullopt);
}

TEST_F(ConfigMapHoursTest, TellsWhatMayNotBeDoneFromWhatFails) {
  api_.Inject({.method = "GET", .path = "/configmaps", .times = 2, .code = 403});
  EXPECT_TRUE(absl::IsPermissionDenied(Keep("org", Left(5))));
  EXPECT_TRUE(absl::IsPermissionDenied(Find("org").status()));
  api_.Inject({.method = "GET", .path = "/configmaps", .times = 2, .code = 500});
  EXPECT_TRUE(absl::IsUnavailable(Keep("org", Left(5))));
  EXPECT_TRUE(absl::IsUnavailable(Find("org").status()));
  EXPECT_EQ(Stored(), "");
}

TEST_F(ConfigMapHoursTest, WhatNobodyCanReadIsAnErrorThatNamesIt) {
  api_.Put(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"kube-system",)"
           R"("name":"huygens-controller-hours"},"data":{"org":"?"}})");
  EXPECT_THAT(std::string(Message(Find("org").status())), HasSubstr("huygens-controller-hours: org: "));
  EXPECT_EQ(Find("ads").value(), std::nullopt);
  ASSERT_TRUE(Keep("org", Left(5)).ok());
  EXPECT_EQ(Find("org").value(), Left(5));
}

TEST_F(ConfigMapHoursTest, TheOldestMakeRoom) {
  std::string data;
  for (int i = 0; i < 2000; ++i) {
    data += Concat(data.empty() ? "" : ",", R"("g)", std::to_string(i), R"(":"{\"exactHours\":{},\"until\":\")",
                   FormatRfc3339(test::kNow + seconds(i == 1234 ? -1 : i)), R"(\"}")");
  }
  api_.Put(Concat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"kube-system",)",
                  R"("name":"huygens-controller-hours"},"data":{)", data, "}}"));
  ASSERT_TRUE(Keep("new", Left(5)).ok());
  EXPECT_THAT(Stored(), HasSubstr(R"("g0")"));
  EXPECT_THAT(Stored(), Not(HasSubstr(R"("g1234")")));
  EXPECT_EQ(Find("new").value(), Left(5));
}

}  // namespace
}  // namespace huygens::controller
