// The vectors of decisions (tests/recommend/overcommit_conformance_test.cc), by way of the pod that an API server would
// show and the patch that it would apply.
#include <gtest/gtest.h>

#include "cluster/pod_requests.h"
#include "tests/overcommit/pods.h"
#include "tests/recommend/policies.h"

namespace huygens::overcommit {
namespace {

namespace json = boost::json;
using recommend::Number;
using recommend::Text;

std::string AmountText(const json::value& amount, ResourceId resource) {
  return ToQuantity(resource, amount.as_int64()).Canonical();
}

json::object AmountsOf(const json::value& amounts) {
  json::object result;
  for (const auto& [name, amount] : amounts.as_object()) {
    result[name] = AmountText(amount, name == "cpu" ? kCpu : kMemory);
  }
  return result;
}

json::object PodObject(const json::value& value) {
  json::array containers;
  for (const json::value& each : value.at("containers").as_array()) {
    containers.push_back(json::object{{"name", each.at("name")},
                                      {"resources", json::object{{"requests", AmountsOf(each.at("requests"))},
                                                                 {"limits", AmountsOf(each.at("limits"))}}}});
  }
  json::object annotations;
  if (const json::value* recorded = value.as_object().if_contains("overcommit")) {
    json::object of_containers;
    for (const auto& [name, amounts] : recorded->as_object()) {
      json::object& of_this = of_containers[name].emplace_object();
      for (const auto& [resource, amount] : amounts.as_object()) {
        const ResourceId id = resource == "cpu" ? kCpu : kMemory;
        of_this[resource] = json::object{{"original", AmountText(amount.at("original"), id)},
                                         {"applied", AmountText(amount.at("applied"), id)},
                                         {"source", "static"}};
      }
    }
    annotations[std::string(kRecordAnnotation)] = json::serialize(json::object{{"containers", of_containers}});
  }
  const json::value* opted_out = value.as_object().if_contains("opt_out");
  if (opted_out && opted_out->as_bool()) annotations[std::string(kOptOutAnnotation)] = "false";
  return {{"metadata", json::object{{"annotations", annotations}}}, {"spec", json::object{{"containers", containers}}}};
}

TEST(OvercommitOfPods, DecidesAsTheVectors) {
  const std::vector<json::object> vectors = recommend::ReadVectors("overcommit.jsonl.gz", "decide");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  size_t compared = 0;
  for (const json::object& vector : vectors) {
    const PoolTerms terms{
        .name = "pool", .policy = recommend::PolicyOf(vector.at("policy")), .basis = "", .keep_whole_cpus = false};
    const std::optional<recommend::Recommendation> known = recommend::RecommendationOf(vector.at("recommendation"));
    const std::string text = json::serialize(PodObject(vector.at("pod")));
    const AdmittedPod admitted = *DecodeAdmittedPod(text, ResourceNames());
    // The vectors name a class of their own in some pods; only where Kubernetes says the same the answers must be equal.
    const bool guaranteed = vector.at("pod").at("qos").as_string() == "Guaranteed";
    if ((cluster::ComputeQos(admitted.pod) == cluster::QosClass::kGuaranteed) != guaranteed) continue;
    ++compared;
    const Lowered lowered = LowerText(text, terms, known ? &*known : nullptr);
    const json::value& expected = vector.at("expect");
    EXPECT_EQ(recommend::Name(lowered.result.reason), Text(expected.at("reason"))) << vector.at("id");
    size_t container = 0;
    for (const json::value& each : vector.at("pod").at("containers").as_array()) {
      const std::string name(each.at("name").as_string());
      EXPECT_EQ(lowered.pod.at("spec").at("containers").at(container++).at("resources").at("requests"),
                json::value(AmountsOf(expected.at("requests").at(name))))
          << vector.at("id") << " " << name;
    }
    EXPECT_EQ(LowerText(json::serialize(lowered.pod), terms, known ? &*known : nullptr).result.patch, "")
        << vector.at("id");
  }
  EXPECT_GT(compared, vectors.size() * 9 / 10);
}

}  // namespace
}  // namespace huygens::overcommit
