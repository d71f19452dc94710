// What is printed, word by word, of a small cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "rule_reports/rule_live.h"
#include "rule_reports/rule_past.h"

namespace huygens::rule_reports {
namespace {

using testing::HasSubstr;

// Answers GETs from a map of paths without their query, and keeps what is PUT.
struct FakeCluster {
  std::map<std::string, std::string> objects;
  std::string put_path, put_body;
  int put_code = 200;

  ApiCall Api() {
    return [this](std::string_view method, const std::string& path, std::string_view body,
                  std::string_view) -> StatusOr<net::HttpReply> {
      net::HttpReply reply;
      reply.code = 200;
      if (method == "PUT") {
        put_path = path;
        put_body = body;
        reply.code = put_code;
        reply.body = R"({"kind":"Status","message":"denied the request"})";
        return reply;
      }
      const auto found = objects.find(path.substr(0, path.find('?')));
      if (found == objects.end()) {
        reply.code = 404;
        reply.body = R"({"kind":"Status","message":"not found"})";
      } else {
        reply.body = found->second;
      }
      return reply;
    };
  }
};

std::string Items(std::initializer_list<std::string_view> items) {
  std::string out = R"({"items":[)";
  for (const std::string_view item : items) out += Concat(out.ends_with('[') ? "" : ",", item);
  return out + "]}";
}

constexpr std::string_view kPool =
    R"({"metadata":{"name":"pool","uid":"u1","generation":2,"resourceVersion":"9"},"spec":{"mode":"enforce","selector":)"
    R"({"kinds":["Pod"]},"inject":{"labels":{"pool":"two"}}}})";
constexpr std::string_view kPod =
    R"({"metadata":{"name":"cart-0","namespace":"shop","labels":{"pool":"two"},"annotations":{"rules.huygens.dev/applied":)"
    R"("pool@2","rules.huygens.dev/before":"{\"labels/pool\":[null,\"two\"]}"}},"spec":{"nodeName":"n1","containers":[]}})";

FakeCluster Cluster() {
  FakeCluster cluster;
  const std::string rules = "/apis/huygens.dev/v1alpha1/schedulingrules";
  cluster.objects[rules] = Items({kPool});
  cluster.objects[rules + "/pool"] = kPool;
  cluster.objects["/api/v1/namespaces"] = Items({R"({"metadata":{"name":"shop","labels":{"team":"a"}}})"});
  cluster.objects["/api/v1/nodes"] = Items({R"({"metadata":{"name":"n1","labels":{"zone":"b"}},"spec":{}})"});
  cluster.objects["/api/v1/pods"] = Items({kPod});
  cluster.objects["/api/v1/namespaces/shop/pods/cart-0"] = kPod;
  const auto revision = [](std::string_view number, std::string_view pool, std::string_view cause) {
    return Concat(R"({"metadata":{"name":"pool-)", number, R"(","namespace":"kube-system","creationTimestamp":)",
                  R"("2026-11-28T10:00:00Z","annotations":{"rules.huygens.dev/generation":")", number,
                  R"(","kubernetes.io/change-cause":")", cause,
                  R"("},"ownerReferences":[{"kind":"SchedulingRule","name":"pool","uid":"u1"}]},"revision":)", number,
                  R"(,"data":{"spec":{"mode":"enforce","selector":{"kinds":["Pod"]},"inject":{"labels":{"pool":")",
                  pool, R"("}}}}})");
  };
  cluster.objects["/apis/apps/v1/controllerrevisions"] =
      Items({revision("1", "one", ""), revision("2", "two", "more")});
  return cluster;
}

RuleFiles Files(std::string_view rule) {
  RuleFiles files;
  auto decoded = rules::DecodeRule(rule);
  EXPECT_TRUE(decoded.ok() && decoded->defect.empty()) << decoded.status();
  files.rules = rules::RuleSet({*decoded});
  return files;
}

TEST(LiveDifference, SaysWhatEachObjectWouldGetAndWhatOnlyANewOneHas) {
  FakeCluster cluster = Cluster();
  const auto text = LiveDifference(
      cluster.Api(),
      Files(R"({"metadata":{"name":"zone"},"spec":{"mode":"enforce","selector":{"kinds":["Pod"]},"inject":{"labels":)"
            R"({"tier":"x"},"nodeAffinity":{"required":[{"key":"zone","operator":"In","values":["a"]}]}}}})"),
      Time());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            R"(Pod shop/cart-0
  + /metadata/labels/tier: "x"
  ~ /metadata/annotations/rules.huygens.dev~1applied: "pool@2,zone@1"
  ~ /metadata/annotations/rules.huygens.dev~1before: "{\"labels/pool\":[null,\"two\"],\"labels/tier\":[null,\"x\"]}"
  ! nodeAffinity/required: {"key":"zone","operator":"In","values":["a"]}, of zone@1: only a new pod has it; its node does not meet it
1 of 2 objects would change in place, 1 pods would have to be made anew, 1 of them are on a node where they may not be
)");
}

TEST(LiveDifference, KnowsTheGenerationThatAChangedRuleGetsAndThatTheSameRuleChangesNothing) {
  FakeCluster cluster = Cluster();
  const auto same = LiveDifference(cluster.Api(), Files(kPool), Time());
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(
      *same,
      "0 of 2 objects would change in place, 0 pods would have to be made anew, 0 of them are on a node where they "
      "may not be\n");
  const auto changed = LiveDifference(
      cluster.Api(),
      Files(R"({"metadata":{"name":"pool"},"spec":{"mode":"enforce","selector":{"kinds":["Pod"]},"inject":{"labels":)"
            R"({"pool":"three"}}}})"),
      Time());
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_THAT(*changed, HasSubstr(R"(~ /metadata/labels/pool: "three")"));
  EXPECT_THAT(*changed, HasSubstr("pool@3"));
}

TEST(LiveExplanation, SaysWhichRuleGaveWhat) {
  FakeCluster cluster = Cluster();
  const auto name = ReadObjectName("pod/cart-0", "shop");
  ASSERT_TRUE(name.ok());
  const auto text = LiveExplanation(cluster.Api(), *name, Time());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            R"(Pod shop/cart-0
  RULE    PRIORITY  VERDICT
  pool@2  0         applied

  FIELD        RULE    BEFORE  AFTER
  labels/pool  pool@2  -       two

It is as the rules say.
)");
}

TEST(ObjectNames, AreThoseOfKubectl) {
  EXPECT_EQ(ReadObjectName("cart-0", "shop")->path, "/api/v1/namespaces/shop/pods/cart-0");
  EXPECT_EQ(ReadObjectName("no/n1", "shop")->path, "/api/v1/nodes/n1");
  EXPECT_EQ(ReadObjectName("Deployments/cart", "shop")->path, "/apis/apps/v1/namespaces/shop/deployments/cart");
  EXPECT_THAT(ReadObjectName("cat/x", "shop").status().message(), HasSubstr("none of the kinds pod, node"));
  EXPECT_FALSE(ReadObjectName("pod/../x", "shop").ok());
}

TEST(RuleHistory, IsATable) {
  FakeCluster cluster = Cluster();
  const auto text = RuleHistory(cluster.Api(), "pool", 0);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            R"(schedulingrule/pool
REVISION  GENERATION  FIRST SAID            CHANGE-CAUSE
1         1           2026-11-28T10:00:00Z  <none>
2 (now)   2           2026-11-28T10:00:00Z  more
)");
  EXPECT_EQ(*RuleHistory(cluster.Api(), "pool", 1),
            R"({"mode":"enforce","selector":{"kinds":["Pod"]},"inject":{"labels":{"pool":"one"}}}
To go back to it would change of the rule:
  ~ /inject/labels/pool: "one"
)");
  cluster.objects["/apis/apps/v1/controllerrevisions"] = Items({});
  EXPECT_THAT(*RuleHistory(cluster.Api(), "pool", 0), HasSubstr("no revisions"));
  EXPECT_FALSE(RuleHistory(cluster.Api(), "gone", 0).ok());
}

TEST(TakeRuleBack, WritesTheSpecOfTheRevision) {
  FakeCluster cluster = Cluster();
  EXPECT_EQ(*TakeRuleBack(cluster.Api(), "pool", 0, true),
            "schedulingrule/pool taken back to revision 1 (dry run)\n  ~ /inject/labels/pool: \"one\"\n");
  EXPECT_EQ(cluster.put_path, "/apis/huygens.dev/v1alpha1/schedulingrules/pool?dryRun=All");
  EXPECT_EQ(*TakeRuleBack(cluster.Api(), "pool", 0, false),
            "schedulingrule/pool taken back to revision 1\n  ~ /inject/labels/pool: \"one\"\n");
  EXPECT_EQ(cluster.put_path, "/apis/huygens.dev/v1alpha1/schedulingrules/pool");
  EXPECT_THAT(cluster.put_body, HasSubstr(R"("resourceVersion":"9")"));
  EXPECT_THAT(cluster.put_body, HasSubstr(R"("pool":"one")"));
  EXPECT_EQ(*TakeRuleBack(cluster.Api(), "pool", 2, false),
            "schedulingrule/pool skipped: it says already what revision 2 says\n");
  cluster.put_code = 403;
  EXPECT_THAT(TakeRuleBack(cluster.Api(), "pool", 0, false).status().message(), HasSubstr("denied the request"));
}

}  // namespace
}  // namespace huygens::rule_reports
