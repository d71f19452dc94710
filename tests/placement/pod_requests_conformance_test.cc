// What kube-scheduler 1.36.3 counts for a pod (k8s.io/component-helpers/resource PodRequests), and the class it gives
// it, recorded by running it: for the pod to be placed, the same after the API server's defaulting, and on its node.
#include <gtest/gtest.h>

#include <functional>

#include "base/quantity.h"
#include "cluster/pod_requests.h"
#include "tests/placement/vectors.h"
#include "tests/wire/known_pod.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

class PodRequestsConformance : public testing::Test {
 protected:
  void SetUp() override {
    vectors_ = test::ReadVectors("pod_requests.jsonl.gz");
    if (vectors_.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("pod_requests.jsonl.gz");
  }

  cluster::Pod Decode(const json::object& pod) {
    auto decoded = test::DecodeKnownPod(pod, names_);
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    return decoded.ok() ? *std::move(decoded) : cluster::Pod();
  }

  // Amounts are rounded up where they are read, upstream rounds the sum: with fractions of a base unit in the pod the
  // count may be higher by less than one unit per amount that was added up. Both saturate.
  void ExpectAmounts(const ResourceVector& counted, const json::object& expected, size_t parts) {
    ResourceVector wanted;
    for (const auto& [name, text] : expected) {
      ResourceId resource = *names_.Intern(name);
      wanted.Set(resource, BaseUnits(resource, *Quantity::Parse(std::string_view(text.as_string()))));
    }
    for (const auto& [resource, amount] : counted) EXPECT_TRUE(wanted.Has(resource)) << names_.Name(resource);
    for (const auto& [resource, amount] : wanted) {
      ASSERT_TRUE(counted.Has(resource)) << names_.Name(resource);
      const int64_t above = counted.Get(resource) - amount;
      EXPECT_GE(above, 0) << names_.Name(resource);
      EXPECT_LT(above, static_cast<int64_t>(parts)) << names_.Name(resource);
      ++amounts_;
      if (above > 0) ++rounded_;
    }
  }

  // The pod that the API server would have stored.
  static json::object Defaulted(const json::object& vector) {
    json::object pod = vector.at("pod").as_object();
    json::object& spec = pod.at("spec").as_object();
    const json::object& defaulted = vector.at("defaulted").as_object();
    if (!defaulted.at("pod_resources").is_null()) spec["resources"] = defaulted.at("pod_resources");
    size_t next = 0;
    for (const char* kind : {"initContainers", "containers"}) {
      if (!spec.contains(kind) || spec.at(kind).is_null()) continue;
      for (json::value& container : spec.at(kind).as_array()) {
        const json::object& after = defaulted.at("containers").as_array().at(next++).as_object();
        container.as_object()["resources"] = {{"requests", after.at("requests")}, {"limits", after.at("limits")}};
      }
    }
    return pod;
  }

  static size_t Parts(const cluster::Pod& pod) { return pod.containers.size() + pod.init_containers.size() + 1; }

  static std::string Word(cluster::QosClass qos) {
    constexpr const char* kWords[] = {"BestEffort", "Burstable", "Guaranteed"};
    return kWords[static_cast<size_t>(qos)];
  }

  void ForEach(const std::function<void(const json::object&)>& check) {
    for (const json::object& vector : vectors_) {
      SCOPED_TRACE(vector.at("id").to_number<int64_t>());
      check(vector);
    }
    EXPECT_EQ(vectors_.size(), 750u);
    std::printf("pod requests: %zu amounts compared, %zu differ by rounding\n", amounts_, rounded_);
    EXPECT_LT(rounded_, 10u);
  }

  ResourceNames names_;
  std::vector<json::object> vectors_;
  size_t amounts_ = 0, rounded_ = 0;
};

TEST_F(PodRequestsConformance, OfAPodToBePlaced) {
  ForEach([&](const json::object& vector) {
    cluster::Pod pod = Decode(vector.at("pod").as_object());
    ExpectAmounts(cluster::PodRequests(pod), vector.at("expect").at("requests").at("fit").as_object(), Parts(pod));
  });
}

TEST_F(PodRequestsConformance, OfAPodOnItsNode) {
  ForEach([&](const json::object& vector) {
    cluster::Pod pod = Decode(vector.at("pod").as_object());
    ExpectAmounts(cluster::PlacedPodRequests(pod), vector.at("expect").at("requests").at("node").as_object(),
                  Parts(pod));
  });
}

TEST_F(PodRequestsConformance, OfAPodAsTheApiServerStoresIt) {
  ForEach([&](const json::object& vector) {
    cluster::Pod pod = Decode(Defaulted(vector));
    ExpectAmounts(cluster::PodRequests(pod), vector.at("defaulted").at("requests").as_object(), Parts(pod));
    EXPECT_EQ(Word(cluster::ComputeQos(pod)), vector.at("defaulted").at("qos").as_string());
  });
}

TEST_F(PodRequestsConformance, QualityOfService) {
  ForEach([&](const json::object& vector) {
    cluster::Pod pod = Decode(vector.at("pod").as_object());
    EXPECT_EQ(Word(cluster::ComputeQos(pod)), vector.at("expect").at("qos").as_string());
    EXPECT_EQ(Word(cluster::QosOf(pod)), vector.at("expect").at("qos_with_status").as_string());
  });
}

}  // namespace
}  // namespace huygens::placement
