// What kube-scheduler 1.36.3 counts for a pod (k8s.io/component-helpers/resource PodRequests), recorded by running it.
#include <gtest/gtest.h>

#include "base/quantity.h"
#include "cluster/pod_requests.h"
#include "tests/placement/vectors.h"
#include "wire/pod.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

bool Tagged(const json::object& vector, std::string_view tag) {
  for (const json::value& each : vector.at("tags").as_array()) {
    if (std::string_view(each.as_string()) == tag) return true;
  }
  return false;
}

TEST(PodRequestsConformance, CountsAsKubeSchedulerDoes) {
  const auto vectors = test::ReadVectors("pod_requests.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("pod_requests.jsonl.gz");
  size_t compared = 0, overflown = 0, refused = 0, rounded = 0;
  for (const json::object& vector : vectors) {
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    ResourceNames names;
    auto pod = wire::DecodePod(json::serialize(vector.at("pod")), names);
    ASSERT_TRUE(pod.ok()) << pod.status().ToString();
    if (Tagged(vector, "pod-level-unsupported")) {
      ++refused;  // names that the API server refuses there and that the decoder has no reason to know
      continue;
    }
    // Amounts are kept in whole milli-cores, rounded up where they are read, as the API server does on creation;
    // upstream rounds the sum.
    const auto parts = static_cast<int64_t>(pod->containers.size() + pod->init_containers.size());
    if (vector.contains("integer_overflow") || vector.at("expect").as_object().contains("integer_overflow")) {
      ++overflown;
      continue;
    }
    ResourceVector counted = cluster::PodRequests(*pod);
    ResourceVector expected;
    for (const auto& [name, text] : vector.at("expect").at("requests").at("fit").as_object()) {
      ResourceId resource = *names.Intern(name);
      expected.Set(resource, BaseUnits(resource, *Quantity::Parse(std::string_view(text.as_string()))));
    }
    ResourceVector all = counted;
    all.Add(expected);
    for (const auto& [resource, sum] : all) {
      int64_t above = counted.Get(resource) - expected.Get(resource);
      EXPECT_GE(above, 0) << names.Name(resource);
      EXPECT_LT(above, parts > 1 ? parts : 1) << names.Name(resource);
      if (above > 0) ++rounded;
    }
    ++compared;
  }
  std::printf(
      "pod requests: %zu compared (%zu amounts differ by rounding), %zu out of the range of int64, %zu of unsupported "
      "names\n",
      compared, rounded, overflown, refused);
  EXPECT_GT(compared, 500u);
}

}  // namespace
}  // namespace huygens::placement
