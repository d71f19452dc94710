#include "kube/wake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"

namespace huygens::kube {
namespace {

using fake::Fault;
using std::chrono::seconds;
using testing::HasSubstr;

class WakeTest : public testing::Test {
 protected:
  WakeTest() : client_(*net::Client::Create(api_.Options())) {}
  WakeReport To(const WakeTarget& target, std::string_view mark = "now") {
    return Wake(*client_, target, mark, seconds(10));
  }

  fake::ApiServer api_;
  std::unique_ptr<net::Client> client_;
};

TEST_F(WakeTest, WritesOneAnnotationAndNothingElse) {
  std::string uid = api_.Put(fake::Pod("default", "a").Cpu("2").Annotation("other", "kept"));
  api_.Put(fake::Node("n1").Cpu("8"));
  EXPECT_EQ(To({"default", "a", uid}, "first").result, WakeResult::kWritten);
  EXPECT_EQ(To({"", "n1", ""}, "second").result, WakeResult::kWritten);
  std::string pod = api_.Get(fake::kPods, "default", "a");
  EXPECT_THAT(pod, HasSubstr(R"("huygens.dev/wake":"first")"));
  EXPECT_THAT(pod, HasSubstr(R"("other":"kept")"));
  EXPECT_THAT(pod, HasSubstr(R"("cpu":"2")"));
  EXPECT_THAT(api_.Get(fake::kNodes, "", "n1"), HasSubstr(R"("huygens.dev/wake":"second")"));
  EXPECT_THAT(api_.Requests(),
              testing::ElementsAre("PATCH /api/v1/namespaces/default/pods/a/status", "PATCH /api/v1/nodes/n1/status"));
}

TEST_F(WakeTest, APodOfThatNameWithAnotherUidIsLeftAlone) {
  api_.Put(fake::Pod("default", "a").Cpu("2"));
  EXPECT_EQ(To({"default", "a", "an-earlier-one"}).result, WakeResult::kGone);
  EXPECT_THAT(api_.Get(fake::kPods, "default", "a"), testing::Not(HasSubstr("huygens.dev/wake")));
}

TEST_F(WakeTest, WhatIsNotThereIsGone) {
  EXPECT_EQ(To({"default", "a", "u"}).result, WakeResult::kGone);
  EXPECT_EQ(To({"", "n1", ""}).result, WakeResult::kGone);
  EXPECT_EQ(To({"..", "a", "u"}).result, WakeResult::kGone);
  EXPECT_EQ(api_.Seen("PATCH", ""), 2);
}

TEST_F(WakeTest, AWriteOnANodeWakesAllSinceKubernetes132) {
  const auto of = [&](std::string_view minor) {
    api_.Inject({.path = "/version", .code = 200, .body = Concat(R"({"major":"1","minor":")", minor, R"("})")});
    return NodeWriteWakesAll(*client_, seconds(10));
  };
  EXPECT_EQ(*of("30"), false);
  EXPECT_EQ(*of("31+"), false);
  EXPECT_EQ(*of("32"), true);
  EXPECT_EQ(*of(""), true) << "no version at all";
  EXPECT_EQ(*NodeWriteWakesAll(*client_, seconds(10)), true) << "404: whoever answers knows no versions";
  api_.Inject({.path = "/version", .code = 403});
  EXPECT_EQ(*NodeWriteWakesAll(*client_, seconds(10)), true);
  api_.Inject({.path = "/version", .code = 503});
  EXPECT_FALSE(NodeWriteWakesAll(*client_, seconds(10)).ok());
}

TEST_F(WakeTest, SaysWhyItFailed) {
  std::string uid = api_.Put(fake::Pod("default", "a").Cpu("2"));
  api_.Inject({.what = Fault::What::kReply, .code = 403});
  WakeReport forbidden = To({"default", "a", uid});
  EXPECT_EQ(forbidden.result, WakeResult::kFailed);
  EXPECT_FALSE(forbidden.unavailable);  // the next object may be allowed
  EXPECT_THAT(forbidden.message, HasSubstr("check the ClusterRole"));
  api_.Inject({.what = Fault::What::kReply, .code = 429, .headers = "Retry-After: 7\r\n"});
  WakeReport busy = To({"default", "a", uid});
  EXPECT_EQ(busy.result, WakeResult::kFailed);
  EXPECT_EQ(busy.retry_after, seconds(7));
  EXPECT_TRUE(busy.unavailable);
  api_.Inject({.what = Fault::What::kCutBefore});
  const WakeReport cut = To({"default", "a", uid});
  EXPECT_EQ(cut.result, WakeResult::kFailed);
  EXPECT_TRUE(cut.unavailable);
}

TEST_F(WakeTest, WhatAnAdmissionPolicyRefusesIsNotGone) {
  const std::string uid = api_.Put(fake::Pod("default", "a").Cpu("2"));
  api_.Inject({.method = "PATCH", .path = "/pods/a/status", .code = 422});
  EXPECT_EQ(To({"default", "a", uid}).result, WakeResult::kFailed);
}

}  // namespace
}  // namespace huygens::kube
