// What `huygens recommend` makes of the recommendations of an API server.
#include "cli/recommendation_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "reports/recommendation_report.h"
#include "tests/base/clock.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Stored(std::string_view space, std::string_view kind, std::string_view name, std::string_view pool) {
  return Concat(
      R"({"metadata":{"name":"x-)", name, R"(","namespace":")", space,
      R"("},"spec":{"template":"all","dimension":"workload","target":{"group":"apps","kind":")", kind, R"(","name":")",
      name, R"("}},"status":{"pool":")", pool,
      R"(","pods":3,"cpu":{"model":1,"p50":0.5,"p95":1.01,"max":2,"samples":9,)",
      R"("firstSample":"2025-12-01T00:00:00Z","lastSample":"2025-12-02T00:00:00Z"},)",
      R"("podCPU":{"original":"4","requested":"1200m","recommended":"1118m"},"podMemory":{"original":"4Gi"},)",
      R"("conditions":[{"type":"Applied","status":"False","reason":"QueryOnly","message":"autoApply is off"}]}})");
}

// Two pages of three recommendations.
class RecommendationPagesOfServer {
 public:
  std::vector<std::string> paths;
  int code = 200;

  ApiCall Call() {
    return [this](std::string_view, const std::string& path, std::string_view, std::string_view) {
      paths.push_back(path);
      net::HttpReply reply{.code = code, .content_type = "application/json"};
      const bool second = path.find("continue=next%2F1") != std::string::npos;
      reply.body =
          second
              ? Concat(R"({"metadata":{},"items":[)", Stored("shop", "StatefulSet", "db", "exclusive"), "]}")
              : Concat(R"({"metadata":{"continue":"next/1"},"items":[)", Stored("shop", "Deployment", "web", "shared"),
                       ",", Stored("money", "Deployment", "pay", "shared"), "]}");
      return StatusOr<net::HttpReply>(reply);
    };
  }
};

std::vector<std::string> Found(const RecommendationQuery& query) {
  RecommendationPagesOfServer server;
  const auto document = FindRecommendations(server.Call(), query, test::kNow);
  EXPECT_TRUE(document.ok()) << document.status();
  std::vector<std::string> names;
  for (const auto& each : document->recommendations) names.push_back(Concat(each.namespace_name, "/", each.target));
  return names;
}

TEST(RecommendationQuery, AllPagesByNamespaceAndName) {
  EXPECT_THAT(Found({}), ElementsAre("money/pay", "shop/db", "shop/web"));
  EXPECT_THAT(Found({.pool = "exclusive"}), ElementsAre("shop/db"));
  EXPECT_THAT(Found({.kind = "deployment", .name = "web"}), ElementsAre("shop/web"));
  EXPECT_THAT(Found({.kind = "deployments", .name = "web"}), ElementsAre("shop/web"));
  EXPECT_THAT(Found({.kind = "StatefulSet", .name = "web"}), ElementsAre());
}

TEST(RecommendationQuery, ANamespaceIsAskedForAlone) {
  RecommendationPagesOfServer server;
  ASSERT_TRUE(FindRecommendations(server.Call(), {.namespace_name = "shop"}, test::kNow).ok());
  EXPECT_THAT(server.paths.front(), HasSubstr("/namespaces/shop/recommendations?limit=500"));
}

TEST(RecommendationQuery, AClusterWithoutTheKindIsToldWhatItLacks) {
  RecommendationPagesOfServer server;
  server.code = 404;
  EXPECT_THAT(std::string(Message(FindRecommendations(server.Call(), {}, test::kNow).status())),
              HasSubstr("config/crd/recommendations.yaml"));
  server.code = 403;
  EXPECT_THAT(std::string(Message(FindRecommendations(server.Call(), {}, test::kNow).status())), HasSubstr("403"));
}

TEST(RecommendationQuery, AWorkloadIsNamedAsPeopleDo) {
  RecommendationQuery query;
  ASSERT_TRUE(ReadTarget("shop/sts/db", query).ok());
  EXPECT_EQ(query.namespace_name, "shop");
  EXPECT_EQ(query.kind, "StatefulSet");
  EXPECT_EQ(query.name, "db");
  query = {};
  ASSERT_TRUE(ReadTarget("db", query).ok());
  EXPECT_EQ(query.kind, "");
  for (const std::string_view wrong : {"", "a/", "/a", "a/b/c/d"}) {
    EXPECT_THAT(std::string(Message(ReadTarget(wrong, query))), HasSubstr("KIND/NAME")) << wrong;
  }
}

TEST(RecommendationTable, SaysWhatIsSavedAndWhyItIsNotApplied) {
  RecommendationPagesOfServer server;
  const auto document = FindRecommendations(server.Call(), {.pool = "shared"}, test::kNow);
  ASSERT_TRUE(document.ok());
  const std::string text = reports::RecommendationsText(*document);
  EXPECT_THAT(text, HasSubstr("shop/Deployment/web"));
  EXPECT_THAT(text, HasSubstr("1118m"));
  EXPECT_THAT(text, HasSubstr("72%"));
  EXPECT_THAT(text, HasSubstr("QueryOnly, autoApply is off"));
  EXPECT_THAT(text, HasSubstr("cpu: 24.0 cores asked for by running pods at first, 6.7 cores would do (72% less)"));
  EXPECT_THAT(text, Not(HasSubstr("memory: ")));  // of it nothing is recommended
  EXPECT_EQ(reports::RecommendationsText({}), "no recommendation matches\n");
}

}  // namespace
}  // namespace huygens::cli
