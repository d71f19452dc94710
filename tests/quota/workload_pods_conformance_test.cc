// What the controllers of Kubernetes 1.36.3 made of the same workloads. Not compared: how many pods may be missing
// (maxUnavailable), since nothing is charged for it, and DaemonSets, whose pods are charged one by one.
#include <gtest/gtest.h>

#include "quota/pod_usage.h"
#include "quota/workload_kinds.h"
#include "tests/quota/vectors.h"

namespace huygens::quota {
namespace {

std::optional<int64_t> Number(const json::object& from, const char* field) {
  const json::value* value = from.if_contains(field);
  return value && !value->is_null() ? std::optional(value->to_number<int64_t>()) : std::nullopt;
}

std::optional<IntOrText> Percentage(const json::value* value) {
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_string()) return std::string(value->as_string());
  return value->to_number<int64_t>();
}

bool IsTrue(const json::object& from, const char* field) {
  const json::value* value = from.if_contains(field);
  return value && value->is_bool() && value->as_bool();
}

Workload ToWorkload(const json::object& object) {
  Workload workload;
  const std::string version(object.at("apiVersion").as_string());
  workload.group = version.substr(0, version.find('/'));
  workload.kind = object.at("kind").as_string();
  const json::object& spec = object.at("spec").as_object();
  workload.replicas = Number(spec, "replicas");
  workload.parallelism = Number(spec, "parallelism");
  workload.completions = Number(spec, "completions");
  workload.suspended = IsTrue(spec, "suspend");
  const json::value* manager = spec.if_contains("managedBy");
  workload.managed_elsewhere = manager && manager->as_string() != "kubernetes.io/job-controller";
  if (const json::value* strategy = spec.if_contains("strategy"); strategy && strategy->is_object()) {
    const json::value* type = strategy->as_object().if_contains("type");
    workload.recreate = type && type->as_string() == "Recreate";
    const json::value* rolling = strategy->as_object().if_contains("rollingUpdate");
    if (rolling && rolling->is_object()) workload.max_surge = Percentage(rolling->as_object().if_contains("maxSurge"));
  }
  if (const json::value* status = object.if_contains("status")) {
    workload.succeeded = Number(status->as_object(), "succeeded").value_or(0);
    if (const json::value* conditions = status->as_object().if_contains("conditions")) {
      for (const json::value& condition : conditions->as_array()) {
        const auto& type = condition.at("type").as_string();
        bool ends = type == "Complete" || type == "Failed";
        if (ends && condition.at("status").as_string() == "True") workload.finished = true;
      }
    }
  }
  return workload;
}

class WorkloadPodsConformance : public testing::Test {
 protected:
  void SetUp() override {
    vectors_ = test::ReadVectors("workload_pods.jsonl.gz");
    if (vectors_.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("workload_pods.jsonl.gz");
  }

  template <typename Check>
  void ForEach(std::string_view kind, size_t count, Check&& check) {
    size_t seen = 0;
    for (const json::object& vector : vectors_) {
      const auto& found = vector.at("kind").as_string();
      if (std::string_view(found.data(), found.size()) != kind) continue;
      SCOPED_TRACE(vector.at("id").to_number<int64_t>());
      ++seen;
      check(vector, vector.at("expect").as_object());
    }
    EXPECT_EQ(seen, count);
  }

  // One pod of the template, defaulted.
  void ExpectUsage(const json::object& vector) {
    ResourceNames names;
    json::object pod = vector.at("object").at("spec").at("template").as_object();
    cluster::Pod decoded = ToPod(pod, names);
    DefaultPod(decoded);
    const Amounts usage = PodUsage(decoded, {}, names, {});
    EXPECT_EQ(usage, ToAmounts(vector.at("expect").at("per_pod_usage")))
        << ToText(usage) << "\nwanted " << json::serialize(vector.at("expect").at("per_pod_usage"));
  }

  std::vector<json::object> vectors_;
};

TEST_F(WorkloadPodsConformance, A14_Surge) {
  ForEach("fenceposts", 30, [](const json::object& vector, const json::object& expect) {
    const auto surge = Percentage(vector.if_contains("max_surge"));
    const int64_t replicas = vector.at("replicas").to_number<int64_t>();
    auto found = surge ? SurgeOf(*surge, replicas) : StatusOr<int64_t>(0);
    // Where both are broken, upstream names the surge first; a broken maxUnavailable is nobody's charge.
    if (expect.at("error").is_null()) {
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(*found, expect.at("surge").to_number<int64_t>());
    } else if (found.ok()) {
      const auto unavailable = Percentage(vector.if_contains("max_unavailable"));
      EXPECT_TRUE(unavailable && !SurgeOf(*unavailable, replicas).ok()) << expect.at("error");
    }
  });
}

TEST_F(WorkloadPodsConformance, A14_Deployments) {
  ForEach("deployment", 40, [&](const json::object& vector, const json::object& expect) {
    const Workload workload = ToWorkload(vector.at("object").as_object());
    const int64_t replicas = expect.at("replicas").to_number<int64_t>();
    EXPECT_EQ(ChargedPods(workload)->at(0), replicas);
    ExpectUsage(vector);

    const int64_t peak = ChargedPods(workload, {.include_surge = true})->at(0);
    int64_t old = 0;
    for (const json::value& size : vector.at("rollout").at("old_replica_sets").as_array())
      old += size.to_number<int64_t>();
    const int64_t total = expect.at("rollout").at("total").to_number<int64_t>();
    if (workload.recreate) return;  // upstream was asked as if the old pods stayed; they end first
    EXPECT_LE(total, std::max(old, peak));
    if (old == replicas) {
      EXPECT_EQ(total, peak);
    }
  });
}

TEST_F(WorkloadPodsConformance, A14_ReplicaSetsAndStatefulSets) {
  for (auto [kind, count] : {std::pair("replicaset", size_t{13}), std::pair("statefulset", size_t{12})}) {
    ForEach(kind, count, [&](const json::object& vector, const json::object& expect) {
      EXPECT_EQ(ChargedPods(ToWorkload(vector.at("object").as_object()))->at(0),
                expect.at("replicas").to_number<int64_t>());
      ExpectUsage(vector);
    });
  }
}

TEST_F(WorkloadPodsConformance, A14_Jobs) {
  ForEach("job", 65, [&](const json::object& vector, const json::object& expect) {
    Workload workload = ToWorkload(vector.at("object").as_object());
    const json::object& pods = vector.at("existing_pods").as_object();
    workload.active = pods.at("active").to_number<int64_t>();
    const int64_t charged = ChargedPods(workload)->at(0);
    // Another controller's job is left alone, with what runs; replacements may have to wait for terminating pods.
    int64_t after = expect.at("active_after").to_number<int64_t>();
    if (workload.managed_elsewhere) after = 0;
    const json::value* policy = vector.at("object").at("spec").as_object().if_contains("podReplacementPolicy");
    if (policy && policy->as_string() == "Failed") {
      const int64_t waiting = pods.at("terminating").to_number<int64_t>();
      EXPECT_TRUE(after <= charged && charged <= after + waiting) << after << " charged " << charged;
    } else {
      EXPECT_EQ(charged, after);
    }
    ExpectUsage(vector);
  });
}

}  // namespace
}  // namespace huygens::quota
