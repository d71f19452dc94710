// What `huygens quota transfer`, `check` and `explain KIND/NAME` make of what an API server says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "cli/manifest_check.h"
#include "cli/quota_transfer.h"
#include "cli/workload_quota.h"
#include "tests/base/clock.h"
#include "wire/quota_transfer.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Answers by method and path, without the query; 404 where it knows nothing.
class Canned {
 public:
  std::map<std::string, net::HttpReply> replies;
  std::vector<std::string> calls;
  std::string last_body;

  void Add(const std::string& call, std::string body, int code = 200) {
    replies[call] = {.code = code, .body = std::move(body), .content_type = "application/json"};
  }
  ApiCall Call() {
    return [this](std::string_view method, const std::string& path, std::string_view body, std::string_view) {
      calls.push_back(Concat(method, " ", path));
      last_body = body;
      const auto found = replies.find(Concat(method, " ", path.substr(0, path.find('?'))));
      return StatusOr<net::HttpReply>(found == replies.end() ? net::HttpReply{.code = 404} : found->second);
    };
  }
};

std::string Denied(std::string_view why, int code) {
  return Concat(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")", why, R"(","code":)",
                std::to_string(code), "}");
}

std::string Fault(std::vector<std::string_view> arguments, std::string_view until = "") {
  const auto transfer = ReadTransfer(arguments, until, test::kNow);
  return transfer.ok() ? "" : std::string(Message(transfer.status()));
}

TEST(QuotaTransferCommand, ReadsWhatIsTyped) {
  const std::vector<std::string_view> typed = {"search", "ads", "limits.cpu=20", "nvidia.com/gpu=2"};
  const auto transfer = ReadTransfer(typed, "7d", test::kNow);
  ASSERT_TRUE(transfer.ok()) << transfer.status();
  EXPECT_EQ(transfer->until, test::kNow + std::chrono::hours(7 * 24));
  EXPECT_THAT(wire::EncodeQuotaTransfer(*transfer),
              HasSubstr(R"("spec":{"from":"search","to":"ads","amounts":{"limits.cpu":"20","nvidia.com/gpu":"2"})"));
  EXPECT_EQ(FormatRfc3339(ReadTransfer(typed, "2099-12-31T00:00:00Z", test::kNow)->until.value()),
            "2099-12-31T00:00:00Z");
  EXPECT_FALSE(ReadTransfer(typed, "", test::kNow)->until);
}

TEST(QuotaTransferCommand, SaysWhatIsWrong) {
  EXPECT_THAT(Fault({"search", "ads"}), HasSubstr("transfer takes FROM TO KEY=AMOUNT..."));
  EXPECT_EQ(Fault({"search", "search", "cpu=1"}), "FROM and TO are the same group");
  EXPECT_EQ(Fault({"search", "A b", "cpu=1"}), "A b is no name of a group");
  EXPECT_EQ(Fault({"search", "ads", "cpu"}), "expected KEY=AMOUNT such as limits.cpu=20, not cpu");
  EXPECT_EQ(Fault({"search", "ads", "cpu=0"}), "expected KEY=AMOUNT such as limits.cpu=20, not cpu=0");
  EXPECT_EQ(Fault({"search", "ads", "gpu=1"}), "gpu is no key that a pod could be charged to");
  EXPECT_THAT(Fault({"search", "ads", "cpu=1"}, "soon"), HasSubstr("--until takes a moment"));
  EXPECT_EQ(Fault({"search", "ads", "cpu=1"}, "2001-01-01T00:00:00Z"), "--until 2001-01-01T00:00:00Z is over");
}

TEST(QuotaTransferCommand, SaysHowTheTransferIsCalled) {
  Canned api;
  const auto said = CreateTransfer(api.Call(), {.from = "a", .to = "b"});
  EXPECT_THAT(said.status().message(), HasSubstr("the API server knows no QuotaTransfers"));
  api.Add("POST /apis/quota.huygens.dev/v1alpha1/quotatransfers", R"({"metadata":{"name":"a-b-x7k2p"}})", 201);
  EXPECT_EQ(
      CreateTransfer(api.Call(), {.from = "a", .to = "b"}).value(),
      "quotatransfer/a-b-x7k2p created; huygens controller carries it out: kubectl get quotatransfer a-b-x7k2p\n");
  EXPECT_THAT(api.last_body, HasSubstr(R"("generateName":"a-b-")"));
  api.Add("POST /apis/quota.huygens.dev/v1alpha1/quotatransfers", Denied("may not", 403), 403);
  EXPECT_THAT(CreateTransfer(api.Call(), {.from = "a", .to = "b"}).status().message(), HasSubstr("may not"));
}

TEST(ManifestCheckCommand, EachObjectIsShownToTheApiServerAsADryRun) {
  Canned api;
  api.Add("GET /apis/apps/v1",
          R"({"kind":"APIResourceList","resources":[{"name":"deployments/scale","kind":"Scale","namespaced":true},)"
          R"({"name":"deployments","kind":"Deployment","namespaced":true}]})");
  api.Add("GET /apis/quota.huygens.dev/v1alpha1",
          R"({"resources":[{"name":"bizgroupresourcequotas","kind":"BizGroupResourceQuota","namespaced":false}]})");
  api.Add("PATCH /apis/apps/v1/namespaces/shop/deployments/web", "{}");
  api.replies["PATCH /apis/apps/v1/namespaces/shop/deployments/web"].warnings = {"limits.cpu is 95 % used", "old"};
  api.Add("PATCH /apis/apps/v1/namespaces/other/deployments/big",
          Denied("admission webhook quota.huygens.dev denied the request: quota bizrq/team: limits.cpu used 9 of 10, "
                 "requested 4",
                 403),
          403);
  api.Add("PATCH /apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas/team", "{}", 201);
  ManifestCheck check(api.Call(), "shop");
  std::string text;
  const auto add = [&](std::string api_version, std::string kind, std::string name, std::string space = "") {
    const auto line = check.Check({.api_version = api_version, .kind = kind, .name = name, .namespace_name = space},
                                  R"({"the":"object"})");
    ASSERT_TRUE(line.ok()) << line.status();
    text += *line;
  };
  add("apps/v1", "Deployment", "web");
  EXPECT_EQ(api.last_body, R"({"the":"object"})");
  EXPECT_THAT(api.calls.back(), HasSubstr("?dryRun=All&"));
  add("apps/v1", "Deployment", "big", "other");
  add("quota.huygens.dev/v1alpha1", "BizGroupResourceQuota", "team");
  add("apps/v1", "Deploymet", "web");
  add("example.com/v1", "Thing", "x");
  add("apps/v1", "Deployment", "");
  EXPECT_THAT(text, testing::StartsWith("ok       shop/Deployment/web\n"
                                        "warning  shop/Deployment/web: limits.cpu is 95 % used\n"
                                        "warning  shop/Deployment/web: old\n"
                                        "REFUSED  other/Deployment/big: "));
  EXPECT_THAT(text, HasSubstr("denied the request: quota bizrq/team: limits.cpu used 9 of 10, requested 4"));
  EXPECT_THAT(text, testing::EndsWith("ok       BizGroupResourceQuota/team\n"
                                      "REFUSED  Deploymet/web: the API server has no Deploymet in apps/v1\n"
                                      "REFUSED  Thing/x: the API server has no example.com/v1\n"
                                      "REFUSED  shop/Deployment/: it needs a name\n"));
  EXPECT_EQ(check.refused(), 4);
  EXPECT_EQ(std::count(api.calls.begin(), api.calls.end(), "GET /apis/apps/v1"), 2)
      << "a kind that is known is not asked for again";
}

constexpr std::string_view kDeployment =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"uid-web",)"
    R"("labels":{"biz.group.resource.quota":"team","biz.group.resource.quota/gpu-type":"A30"}},)"
    R"("spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"2","nvidia.com/gpu":"1"}}}]}}}})";

class WorkloadQuotaTest : public testing::Test {
 protected:
  WorkloadQuotaTest() {
    api_.Add("GET /apis/apps/v1/namespaces/shop/deployments/web", std::string(kDeployment));
    Group(
        "team",
        R"({"parentBizGroup":"org","hard":{"limits.cpu":"10","requests.nvidia.com/gpu.A30":"2","limits.memory":"1Gi","cash/limits.cpu":"5"}})",
        R"({"used":{"limits.cpu":"11","requests.nvidia.com/gpu.A30":"0","cash/limits.cpu":"5"}})");
    Group("org", R"({"hard":{"limits.cpu":"100"}})", R"({"used":{"limits.cpu":"60"}})");
  }
  void Group(const std::string& name, std::string_view spec, std::string_view status) {
    api_.Add(Concat("GET /apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas/", name),
             Concat(R"({"metadata":{"name":")", name, R"("},"spec":)", spec, R"(,"status":)", status, "}"));
  }
  std::string Explain() {
    const auto text = WorkloadQuotaText(api_.Call(), ReadWorkloadArgument("deployment/web").value(), "shop");
    return text.ok() ? *text : Concat("error: ", Message(text.status()));
  }
  Canned api_;
};

TEST_F(WorkloadQuotaTest, SaysWhatItCostsAndWhatTheGroupsAboveHave) {
  EXPECT_EQ(Explain(),
            "Deployment shop/web of group org/team\n"
            "Its template must specify limits.memory for: app\n"
            "\n"
            "GROUP  KEY                          COST       USED  HARD  NOTE\n"
            "team   cash/limits.cpu              6 an hour  5     5     SPENT\n"
            "       limits.cpu                   6          11    10    OVER BUDGET\n"
            "       requests.nvidia.com/gpu.A30  3          0     2     MORE THAN THE WHOLE BUDGET\n"
            "org    limits.cpu                              60    100\n");
}

TEST_F(WorkloadQuotaTest, AGroupThatIsNotThereIsNamed) {
  api_.replies.erase("GET /apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas/org");
  EXPECT_THAT(Explain(), HasSubstr("Deployment shop/web of group team\nREFUSED: bizrq/org does not exist\n"));
  api_.replies.erase("GET /apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas/team");
  EXPECT_EQ(Explain(), "Deployment shop/web of group team\nREFUSED: bizrq/team does not exist\n");
}

TEST_F(WorkloadQuotaTest, WhatIsOfNoGroupOrNotThereIsSaid) {
  api_.Add("GET /apis/apps/v1/namespaces/shop/deployments/web", R"({"metadata":{"name":"web"},"spec":{}})");
  EXPECT_THAT(Explain(), HasSubstr("belongs to no group"));
  api_.replies.clear();
  EXPECT_THAT(Explain(), HasSubstr("error: "));
}

TEST(WorkloadArgument, AreKindsOfWorkloadsOnly) {
  EXPECT_EQ(ReadWorkloadArgument("sts/db")->path, "/apis/apps/v1/namespaces/%/statefulsets");
  EXPECT_EQ(ReadWorkloadArgument("rc/old")->path, "/api/v1/namespaces/%/replicationcontrollers");
  for (const char* other : {"shop/web", "pod/web", "web", "deployment/", "deploy deploy/x"}) {
    EXPECT_FALSE(ReadWorkloadArgument(other)) << other;
  }
}

}  // namespace
}  // namespace huygens::cli
