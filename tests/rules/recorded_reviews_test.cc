// What kube-apiserver 1.36.3 really sent to a mutating webhook, and what rules must make of each review.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

const std::string& Folder() {
  static const std::string folder = HUYGENS_SHARED_DATA "/admission_rules";
  return folder;
}

// The parts of a review that outlive its parsing.
struct Review {
  std::string group, kind, subresource, namespace_name, object, old_object;
  Operation operation = Operation::kOther;

  ObjectWrite write() const {
    return {.operation = operation,
            .group = group,
            .kind = kind,
            .subresource = subresource,
            .namespace_name = namespace_name,
            .object = object,
            .old_object = old_object};
  }
};

Review ReadReview(const std::string& name) {
  std::ifstream file(Folder() + "/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  const boost::json::value review = ParsedJson(text.str());
  const boost::json::value& request = review.at("request");
  Review out{.group = At(request, "/kind/group"),
             .kind = At(request, "/kind/kind"),
             .subresource = At(request, "/subResource"),
             .namespace_name = At(request, "/namespace"),
             .object = At(request, "/object"),
             .old_object = At(request, "/oldObject")};
  const std::string operation = At(request, "/operation");
  if (operation == "CREATE") out.operation = Operation::kCreate;
  if (operation == "UPDATE") out.operation = Operation::kUpdate;
  return out;
}

RuleSet AllKinds() {
  const std::string injected =
      R"({"labels":{"pool":"shared"},"annotations":{"example.com/seen":"yes"},
          "resources":{"requests":{"cpu":{"factor":0.4}}},
          "tolerations":[{"key":"pool","operator":"Exists"}],
          "nodeAffinity":{"required":[{"key":"pool","operator":"In","values":["shared"]}]},
          "topologySpreadConstraints":[{"topologyKey":"kubernetes.io/hostname","maxSkew":1,
             "whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"d"}}}]})";
  return Rules(
      {PodRule("pods", injected),
       Concat(R"({"metadata":{"name":"controllers","generation":1},"spec":{"mode":"enforce","selector":{"kinds":
                ["Deployment","StatefulSet","ReplicaSet"]},"inject":)",
              injected, "}}"),
       NodeRule("nodes",
                R"({"labels":{"pool":"shared"},"taints":[{"key":"pool","value":"shared","effect":"NoSchedule"}],
                             "allocatable":{"cpu":{"factor":1.5}}})",
                R"(,"onConflict":"override")")});
}

class RecordedReviews : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(Folder())) GTEST_SKIP() << Folder() << " is not here";
  }
  static Written Write(const std::string& name) {
    const Review review = ReadReview(name);
    Written written = WriteWith(review.write(), AllKinds());
    // The API server asks a second time where another webhook changed the object after this one.
    Review again = review;
    if (written.outcome.patch.empty()) return written;
    again.object = written.text();
    EXPECT_EQ(WriteWith(again.write(), AllKinds()).outcome.patch, "") << name;
    return written;
  }
};

TEST_F(RecordedReviews, PodsGetAllOfItWhenTheyAreCreated) {
  for (const auto& [name, request] :
       {std::pair("pod-create-bare", "800m"), std::pair("pod-create-burstable-no-namespace-in-body", "400m"),
        std::pair("pod-create-by-replicaset", "800m"), std::pair("pod-create-by-statefulset", "800m"),
        std::pair("pod-create-dry-run", "800m"), std::pair("pod-create-generate-name", "800m")}) {
    SCOPED_TRACE(name);
    const Written written = Write(name);
    EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "shared");
    EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "pods@1");
    EXPECT_EQ(At(written.object, "/spec/containers/0/resources/requests/cpu"), request);
    EXPECT_EQ(At(written.object, "/spec/containers/0/resources/limits/cpu"), "2");
    // Those that it has, also those that the API server adds by itself, stay.
    boost::json::value tolerations = ParsedJson(ReadReview(name).object).at("spec").at("tolerations");
    EXPECT_FALSE(tolerations.as_array().empty());
    tolerations.as_array().push_back({{"key", "pool"}, {"operator", "Exists"}});
    EXPECT_EQ(written.object.at("spec").at("tolerations"), tolerations);
    EXPECT_EQ(At(written.object, "/spec/topologySpreadConstraints/0/maxSkew"), "1");
    EXPECT_NE(At(written.object, "/spec/affinity/nodeAffinity").find(R"("values":["shared"])"), std::string::npos);
  }
}

TEST_F(RecordedReviews, PodsGetLabelsAndAnnotationsAloneWhenTheyAreUpdated) {
  for (const char* name : {"pod-update-annotation", "pod-server-side-apply"}) {
    SCOPED_TRACE(name);
    const Written written = Write(name);
    EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "shared");
    EXPECT_EQ(At(written.object, "/metadata/annotations/a"), "b");
    EXPECT_EQ(At(written.object, "/metadata/annotations/example.com~1seen"), "yes");
    EXPECT_EQ(At(written.object, "/spec"), At(ParsedJson(ReadReview(name).object), "/spec"));
  }
}

TEST_F(RecordedReviews, ControllersGetItIntoTheirTemplate) {
  for (const char* name : {"deployment-create", "statefulset-create"}) {
    SCOPED_TRACE(name);
    const Written written = Write(name);
    EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "");
    EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "controllers@1");
    EXPECT_EQ(At(written.object, "/spec/template/metadata/labels/pool"), "shared");
    EXPECT_EQ(At(written.object, "/spec/template/metadata/annotations/rules.huygens.dev~1applied"), "");
    EXPECT_EQ(At(written.object, "/spec/template/spec/tolerations/0/key"), "pool");
    // Where there are only limits, they are what is asked for.
    EXPECT_EQ(At(written.object, "/spec/template/spec/containers/0/resources/requests/cpu"), "800m");
  }
}

TEST_F(RecordedReviews, NodesGetLabelsAndTaintsAndWhatTheyOffer) {
  const Written created = Write("node-create");
  EXPECT_EQ(At(created.object, "/metadata/labels/pool"), "shared");
  EXPECT_EQ(At(created.object, "/spec/taints/0/key"), "pool");
  EXPECT_EQ(At(created.object, "/status/allocatable/cpu"), "96");
  EXPECT_EQ(At(created.object, "/status/capacity/cpu"), "64");

  // The status in the update of a node counts for nothing.
  const Written updated = Write("node-update-label");
  EXPECT_EQ(At(updated.object, "/spec/taints/0/key"), "pool");
  EXPECT_EQ(At(updated.object, "/status/allocatable/cpu"), "64");

  EXPECT_EQ(At(Write("nodes-status-heartbeat").object, "/status/allocatable/cpu"), "96");
  const Written status = Write("nodes-status-allocatable");
  EXPECT_EQ(At(status.object, "/status/allocatable/cpu"), "94500m");
  EXPECT_EQ(At(status.object, "/status/allocatable/memory"), "256Gi");
  EXPECT_EQ(At(status.object, "/spec/taints"), "");
}

TEST_F(RecordedReviews, NothingElseIsTouched) {
  for (const char* name :
       {"hpa-create", "hpa-create-v1", "pod-delete.0", "pod-delete.1", "pods-binding", "pods-ephemeralcontainers",
        "pods-resize", "pods-status", "replicaset-create-by-deployment", "statefulset-scale", "statefulset-update"}) {
    const Written written = Write(name);
    EXPECT_EQ(written.outcome.patch, "") << name;
    EXPECT_NE(written.outcome.untouched, "") << name;
  }
}

}  // namespace
}  // namespace huygens::rules
