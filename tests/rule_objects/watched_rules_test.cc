// Rules, namespaces and PriorityClasses of an API server, followed.
#include "rule_objects/watched_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"

namespace huygens::rule_objects {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Rule(std::string_view name, std::string_view inject, std::string_view more = "") {
  return Concat(R"({"apiVersion":"huygens.dev/v1alpha1","kind":"SchedulingRule","metadata":{"name":")", name,
                R"(","uid":"of-)", name, R"(","generation":3},"spec":{"mode":"enforce","selector":{"kinds":["Pod"]},)",
                R"("inject":)", inject, "}", more, "}");
}
std::string Named(std::string_view version, std::string_view kind, std::string_view name,
                  std::string_view labels = "{}") {
  return Concat(R"({"apiVersion":")", version, R"(","kind":")", kind, R"(","metadata":{"name":")", name,
                R"(","uid":"of-)", name, R"(","labels":)", labels, "}}");
}
constexpr std::string_view kLabel = R"({"labels":{"pool":"a"}})";

class WatchedRulesTest : public testing::Test {
 protected:
  ~WatchedRulesTest() override { watched_.Stop(); }
  void Start() {
    ASSERT_TRUE(watched_.Start(api_.Options()).ok());
    Await([this] { return watched_.NotReady().empty(); });
  }
  void Await(const std::function<bool()>& done) {
    while (!done()) loop_.Poll();
  }
  std::vector<std::string> Known() const {
    std::vector<std::string> known;
    for (const auto& rule : watched_.rules()->rules()) {
      known.push_back(Concat(rule.Version(), rule.defect.empty() ? "" : " broken"));
    }
    return known;
  }

  fake::ApiServer api_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}, .workloads = true}};
  ResourceNames names_;
  WatchedRules watched_{names_, loop_, captured_.log, metrics_};
};

TEST_F(WatchedRulesTest, KnowsThemOnceAllThreeKindsAreListed) {
  EXPECT_THAT(watched_.NotReady(), testing::StartsWith("waiting for the first list of schedulingrules.huygens.dev, "));
  api_.Put(Rule("spread", kLabel));
  api_.Put(Named("v1", "Namespace", "shop", R"({"team":"a"})"));
  Start();
  EXPECT_THAT(Known(), ElementsAre("spread@3"));
  ASSERT_NE(watched_.NamespaceLabels("shop"), nullptr);
  EXPECT_THAT(*watched_.NamespaceLabels("shop"), ElementsAre(testing::Pair("team", "a")));
  EXPECT_EQ(watched_.NamespaceLabels("bank"), nullptr);
}

TEST_F(WatchedRulesTest, ARuleThatCannotBeUsedIsKnownAsSuchAndStandsInNobodysWay) {
  api_.Put(Rule("good", kLabel));
  api_.Put(Rule("odd", R"({"labels":{"not a key!":"a"}})"));
  Start();
  EXPECT_THAT(Known(), ElementsAre("good@3", "odd@3 broken"));
  EXPECT_THAT(captured_.Lines(), testing::Contains(HasSubstr("object=odd")));
}

TEST_F(WatchedRulesTest, ARuleWithoutItsPriorityClassIsForNobodyUntilThereIsOne) {
  api_.Put(Rule("first", R"({"priorityClassName":"high"})"));
  Start();
  EXPECT_THAT(Known(), ElementsAre("first@3 broken"));
  api_.Put(Named("scheduling.k8s.io/v1", "PriorityClass", "high"));
  Await([this] { return watched_.HasPriorityClass("high"); });
  EXPECT_THAT(Known(), ElementsAre("first@3"));
  api_.Delete(fake::kPriorityClasses, "", "high");
  Await([this] { return !watched_.HasPriorityClass("high"); });
  EXPECT_THAT(Known(), ElementsAre("first@3 broken"));
}

TEST_F(WatchedRulesTest, WhoHoldsASetKeepsIt) {
  api_.Put(Rule("spread", kLabel));
  Start();
  const auto held = watched_.rules();
  EXPECT_EQ(watched_.rules(), held);
  api_.Delete(fake::kSchedulingRules, "", "spread");
  Await([&] { return watched_.rules() != held; });
  EXPECT_EQ(held->rules().size(), 1U);
  EXPECT_EQ(watched_.rules()->rules().size(), 0U);
}

TEST_F(WatchedRulesTest, AClusterWithoutTheDefinitionHasNone) {
  api_.Install(fake::kSchedulingRules, false);
  Start();
  EXPECT_THAT(Known(), ElementsAre());
}

TEST(FollowedRules, AChangeOfStatusAloneIsNone) {
  fake::ApiServer api;
  net::EventLoop loop;
  observe::CapturedLog captured;
  observe::Metrics metrics{{.version = "test", .reject_reasons = {}, .workloads = true}};
  ResourceNames names;
  FollowedRules followed(names, loop, captured.log, metrics);
  std::vector<int64_t> matched;
  followed.OnChange([&] {
    const auto& rules = followed.rules()->rules();
    matched.push_back(rules.empty() ? -1 : rules[0].status.matched);
  });
  ASSERT_TRUE(followed.Start(api.Options()).ok());
  api.Put(Rule("a", kLabel));
  while (matched.empty()) loop.Poll();
  api.Put(Rule("a", kLabel, R"(,"status":{"matched":7,"applied":7})"));
  while (followed.rules()->rules()[0].status.matched != 7) loop.Poll();
  api.Delete(fake::kSchedulingRules, "", "a");
  while (!followed.rules()->rules().empty()) loop.Poll();
  EXPECT_THAT(matched, ElementsAre(0, -1));
}

TEST(NameAndLabels, AreReadOfAnyObject) {
  const auto read =
      DecodeNameAndLabels(R"({"metadata":{"name":"a","uid":"u","labels":{"x":"y"},"other":[1]},"spec":{}})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "a");
  EXPECT_THAT(read->labels, ElementsAre(testing::Pair("x", "y")));
  EXPECT_FALSE(DecodeNameAndLabels(R"({"metadata":{"labels":{"x":"y"}}})").ok());
  EXPECT_THAT(std::string(Message(DecodeNameAndLabels(R"({"metadata":{"name":"a","labels":{"x":1}}})").status())),
              HasSubstr("metadata.labels.x"));
}

}  // namespace
}  // namespace huygens::rule_objects
