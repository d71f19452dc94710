#include "admin_api/quota_document.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace huygens::admin_api {
namespace {

TEST(QuotaTreeDocument, ReadsBackAsItWasWritten) {
  const QuotaTreeDocument document{
      .enforcement = "placement",
      .packages = {{.size = "cpu=4", .nodes = 7, .fragmentation = {{"cpu", 0.25}}}},
      .groups = {{.name = "ranking",
                  .parent = "search",
                  .path = "org/search/ranking",
                  .state = "frozen",
                  .why = "its parent gone does not exist",
                  .hours_since = "2026-11-23T00:00:00Z",
                  .children = {"a", "b"},
                  .keys = {{.key = "limits.cpu",
                            .hard = "4",
                            .used = "6",
                            .self = "5",
                            .children = "1",
                            .remaining = "-2",
                            .carried = "3",
                            .share = 1.5},
                           {.key = "limit.cpu", .hard = "4", .unknown = true, .children = "0"},
                           {.key = "pods", .unlimited = true, .used = "0", .self = "0", .children = "0"}},
                  .over_above = {{.group = "org", .keys = {"limits.cpu"}}},
                  .packages = {{.size = "cpu=4", .budget = 0, .limited_by = "limits.cpu", .recommended = true}}}}};
  constexpr std::string_view kJson =
      R"({"enforcement":"placement","packages":[{"size":"cpu=4","nodes":7,"fragmentation":{"cpu":0.25}}],)"
      R"("groups":[{"name":"ranking","parent":"search","path":"org/search/ranking",)"
      R"("state":"frozen","why":"its parent gone does not exist","hoursSince":"2026-11-23T00:00:00Z","children":["a","b"],"keys":[)"
      R"({"key":"limits.cpu","hard":"4","used":"6","self":"5","children":"1","remaining":"-2","carried":"3","share":1.5},)"
      R"({"key":"limit.cpu","hard":"4","unknown":true,"children":"0"},)"
      R"({"key":"pods","unlimited":true,"used":"0","self":"0","children":"0"}],)"
      R"("overAbove":[{"group":"org","keys":["limits.cpu"]}],)"
      R"("packages":[{"size":"cpu=4","budget":0,"limitedBy":"limits.cpu","recommended":true}]}]})";
  EXPECT_EQ(EncodeJson(document), kJson);
  EXPECT_EQ(DecodeJson<QuotaTreeDocument>(kJson).value(), document);
}

TEST(PodQuotaDocument, ReadsBackAsItWasWritten) {
  const PodQuotaDocument document{
      .pod = "shop/web",
      .enforcement = "placement",
      .group = "ranking",
      .path = "org/ranking",
      .models = {.cpu = "A4", .gpu = "T4", .memory = "D5"},
      .model_nodes = 0,
      .other_models = "the label says B7",
      .node = "n1",
      .node_models = PodQuotaDocument::Models{.cpu = "A5", .gpu = "", .memory = ""},
      .relabelled = true,
      .since = "2026-11-21T12:00:00Z",
      .verdict = "refused",
      .why = "quota bizrq/ranking: x",
      .nearest_group = "rankings",
      .refused_by_model = "y",
      .refused_nodes = 2,
      .other_nodes = 3,
      .keys = {{.key = "cpu", .cost = "2", .used = "4", .children = "1", .hard = "4", .lacks = true, .of_node = true},
               {.key = "pods", .cost = "1"}},
      .shortages = {{.group = "org", .key = "cpu", .used = "9", .hard = "4", .requested = "2", .over = "5"}},
      .used_by = {{.group = "ranking",
                   .key = "cpu",
                   .pods = {{"shop/a", "3"}},
                   .more_pods = 7,
                   .children = {{"x", "1"}},
                   .more_children = 1},
                  {.group = "org", .key = "cpu"}},
      .not_heard_of = {{"pods", 272, "cut"}}};
  constexpr std::string_view kJson =
      R"({"pod":"shop/web","enforcement":"placement","group":"ranking","path":"org/ranking",)"
      R"("models":{"cpu":"A4","gpu":"T4","memory":"D5"},"modelNodes":0,"otherModels":"the label says B7","node":"n1",)"
      R"("nodeModels":{"cpu":"A5"},"relabelled":true,"since":"2026-11-21T12:00:00Z","verdict":"refused",)"
      R"("why":"quota bizrq/ranking: x","nearestGroup":"rankings","refusedByModel":"y","refusedNodes":2,"otherNodes":3,"keys":[)"
      R"({"key":"cpu","cost":"2","used":"4","children":"1","hard":"4","lacks":true,"ofNode":true},)"
      R"({"key":"pods","cost":"1"}],"shortages":[{"group":"org","key":"cpu","used":"9","hard":"4","requested":"2",)"
      R"("over":"5"}],"usedBy":[{"group":"ranking","key":"cpu","pods":[{"name":"shop/a","amount":"3"}],)"
      R"("morePods":7,"children":[{"name":"x","amount":"1"}],"moreChildren":1},)"
      R"({"group":"org","key":"cpu","pods":[],"children":[]}],"notHeardOf":[{"kind":"pods","seconds":272,"why":"cut"}]})";
  EXPECT_EQ(EncodeJson(document), kJson);
  EXPECT_EQ(DecodeJson<PodQuotaDocument>(kJson).value(), document);
}

}  // namespace
}  // namespace huygens::admin_api
