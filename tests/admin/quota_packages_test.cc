#include "admin/quota_packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/quota_page.h"
#include "json/document.h"
#include "tests/admin_api/read_whole.h"
#include "tests/cluster/build.h"

namespace huygens::admin {
namespace {

const Time kNow = *ParseRfc3339("2026-11-21T12:00:00Z");

Quantity Q(std::string_view text) { return *Quantity::Parse(text); }

class QuotaPackagesTest : public testing::Test {
 protected:
  QuotaPackagesTest()
      : placement_(*placement::Placement::Create({.checks = {"quota"}, .terms = {}, .resource_names = &names_})) {
    for (const char* name : {"n0", "n1"}) {
      cluster::Node node = test::MakeNode(name);
      node.allocatable = {{kCpu, 10'000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 100}};
      placement_->Apply(cluster::NodeSet{node});
    }
    tree_.Set({.name = "team", .hard = {{"limits.cpu", Q("9")}, {"requests.memory", Q("1Ti")}}});
  }

  std::string Page(std::string_view query) {
    auto parsed = QuotaPackages::Parse(query, {}, names_);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    auto packages = std::make_shared<QuotaPackages>(*std::move(parsed));
    while (packages->Step(*placement_, kNow)) {
    }
    QuotaPage page("placement", "", packages);
    std::string json;
    while (page.Step(&tree_, json)) {
    }
    json.pop_back();
    ExpectReadWhole<admin_api::QuotaTreeDocument>(json);
    return json;
  }
  static std::string_view Fault(std::string_view query) {
    static Status status;
    static const ResourceNames names;
    status = QuotaPackages::Parse(query, {}, names).status();
    return Message(status);
  }

  ResourceNames names_;
  std::unique_ptr<placement::Placement> placement_;
  quota::Tree tree_;
};

TEST_F(QuotaPackagesTest, SayWhatFitsByNodesAndByBudget) {
  EXPECT_EQ(
      Page("package=cpu%3D4,memory%3D16Gi&package=cpu%3D3"),
      R"({"enforcement":"placement","packages":[)"
      R"({"size":"cpu=4,memory=16Gi","nodes":4,"fragmentation":{"cpu":0.2,"memory":0.5}},)"
      R"({"size":"cpu=3","nodes":6,"fragmentation":{"cpu":0.1}}],"groups":[)"
      R"({"name":"team","parent":"","path":"team","state":"ok","children":[],"keys":[)"
      R"({"key":"limits.cpu","hard":"9","used":"0","self":"0","children":"0","remaining":"9","share":0},)"
      R"({"key":"requests.memory","hard":"1Ti","used":"0","self":"0","children":"0","remaining":"1Ti","share":0}],)"
      R"("packages":[{"size":"cpu=4,memory=16Gi","budget":2,"limitedBy":"limits.cpu"},)"
      R"({"size":"cpu=3","budget":3,"limitedBy":"limits.cpu","recommended":true}]}]})");
}

TEST_F(QuotaPackagesTest, WhereNoneFitsAllThatIsFreeIsInPieces) {
  auto busy = test::MakePod("busy", 4);
  busy->node_name = "n0";
  placement_->Apply(cluster::PodSet{busy});
  const std::string json = Page("package=cpu%3D64&package=cpu%3D8");
  EXPECT_THAT(json, testing::HasSubstr(R"({"size":"cpu=64","nodes":0,"fragmentation":{"cpu":1}})"));
  EXPECT_THAT(json, testing::HasSubstr(R"({"size":"cpu=8","nodes":1,"fragmentation":{"cpu":0.5}})")) << "8 of 6 + 10";
  EXPECT_THAT(json, testing::HasSubstr(R"({"size":"cpu=64","budget":0,"limitedBy":"limits.cpu"})"));
}

TEST_F(QuotaPackagesTest, WithoutPackagesThePageIsAsItWas) {
  EXPECT_EQ(Page("group=team").find("packages"), std::string::npos);
}

TEST_F(QuotaPackagesTest, WhatIsNoSizeIsNamed) {
  EXPECT_EQ(Fault("package=cpu"), "package: expected sizes such as cpu=4,memory=16Gi, not \"cpu\"");
  EXPECT_EQ(Fault("package=cpu=0"), "package: expected sizes such as cpu=4,memory=16Gi, not \"cpu=0\"");
  EXPECT_EQ(Fault("package="), "package: expected sizes such as cpu=4,memory=16Gi, not \"\"");
  EXPECT_EQ(Fault("package=gpu=1"), "package: no node or pod has a resource called gpu");
  std::string many = "package=cpu=1";
  for (int i = 0; i < 20; ++i) many += "&package=cpu=1";
  EXPECT_EQ(Fault(many), "more than 20 packages");
}

}  // namespace
}  // namespace huygens::admin
