// Devices by class: keys, and what claims and containers are charged. The figures follow ResourceQuota
// (pkg/quota/v1/evaluator/core/resource_claims.go of Kubernetes 1.36).
#include "quota/device_classes.h"

#include <gtest/gtest.h>

#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

constexpr const char* kGpus = "gpu.example.com.deviceclass.resource.k8s.io/devices";
constexpr const char* kGpusByRequest = "requests.deviceclass.resource.kubernetes.io/gpu.example.com";

TEST(DeviceKeys, AreThoseOfResourceQuota) {
  EXPECT_EQ(DevicesKey("gpu.example.com"), kGpus);
  for (const std::string key : {kGpus, kGpusByRequest}) {
    EXPECT_TRUE(IsKnownKey(key)) << key;
    EXPECT_EQ(NormalKey(key), key) << "means no extended resource";
    EXPECT_TRUE(IsOfDevices(key));
    EXPECT_TRUE(IsKnownKey(Concat(kCashPrefix, key)));
    EXPECT_TRUE(IsOfDevices(Concat(kCashPrefix, key)));
    EXPECT_FALSE(MayBeOfModel(key)) << key;
    EXPECT_EQ(ExtendedResourceOf(key), "") << key;
  }
  EXPECT_EQ(TwinKey(kGpus), kGpusByRequest);
  EXPECT_EQ(TwinKey(kGpusByRequest), kGpus);
  EXPECT_EQ(TwinKey(Concat(kCashPrefix, kGpus)), Concat(kCashPrefix, kGpusByRequest));
  EXPECT_EQ(NormalKey("gpu.deviceclass.resource.k8s.io/devices"), "gpu.deviceclass.resource.k8s.io/devices");
}

TEST(DeviceKeys, OthersAreNone) {
  for (const char* key : {"deviceclass.resource.k8s.io/devices", ".deviceclass.resource.k8s.io/devices",
                          "GPU.deviceclass.resource.k8s.io/devices", "gpu.deviceclass.resource.k8s.io/device",
                          "gpu.deviceclass.resource.k8s.io", "requests.nvidia.com/gpu", "limits.cpu"}) {
    EXPECT_FALSE(IsOfDevices(key)) << key;
  }
  EXPECT_EQ(ExtendedResourceOf("requests.nvidia.com/gpu.A30"), "nvidia.com/gpu.A30");
  EXPECT_EQ(ExtendedResourceOf("cash/requests.nvidia.com/gpu"), "nvidia.com/gpu");
  EXPECT_EQ(ExtendedResourceOf("requests.cpu"), "");
}

class DeviceClassesTest : public testing::Test {
 protected:
  void Set(const std::string& name, const std::string& resource, int64_t created = 0) {
    classes_.Set({.name = name, .extended_resource = resource, .created = created});
  }
  std::string Text(const Amounts& usage) {
    std::string text;
    for (const auto& [key, amount] : usage) {
      if (!key.ends_with("pods")) text += Concat(text.empty() ? "" : " ", key, "=", amount.Canonical());
    }
    return text;
  }
  std::string Claimed(const std::string& device_class, int64_t count, const cluster::QuotaLabels& labels = {}) {
    Amounts usage;
    ChargeDevices(device_class, count, classes_, labels, {}, usage);
    return Text(usage);
  }
  // Of a container that asks for so many of each.
  std::string Asked(std::vector<std::pair<std::string, int64_t>> resources) {
    cluster::Pod pod;
    pod.containers.emplace_back();
    pod.unknown_resources.emplace();
    for (const auto& [name, amount] : resources) {
      const auto id = static_cast<ResourceId>(kFirstUnknownResource + pod.unknown_resources->size());
      pod.unknown_resources->push_back(name);
      pod.containers[0].requests.Set(id, amount);
    }
    return Text(PodUsage(pod, {}, names_, {}, classes_));
  }

  ResourceNames names_;
  DeviceClasses classes_;
};

TEST_F(DeviceClassesTest, AClaimIsChargedUnderAllNamesOfItsClass) {
  EXPECT_EQ(Claimed("gpu", 2),
            "gpu.deviceclass.resource.k8s.io/devices=2 requests.deviceclass.resource.kubernetes.io/gpu=2")
      << "whether there is such a class or not";
  Set("gpu", "example.com/gpu");
  const std::string all =
      "gpu.deviceclass.resource.k8s.io/devices=2 requests.deviceclass.resource.kubernetes.io/gpu=2 "
      "requests.example.com/gpu=2";
  EXPECT_EQ(Claimed("gpu", 2), all);
  EXPECT_EQ(Claimed("gpu", 2, Labels("team", "", "A100")), all + " requests.example.com/gpu.A100=2");
}

TEST_F(DeviceClassesTest, AnExtendedResourceOfAClassIsChargedAsItsDevices) {
  EXPECT_EQ(Asked({{"example.com/gpu", 3}}), "requests.example.com/gpu=3") << "of a device plugin";
  Set("gpu", "example.com/gpu");
  EXPECT_EQ(Asked({{"example.com/gpu", 3}}),
            "gpu.deviceclass.resource.k8s.io/devices=3 requests.deviceclass.resource.kubernetes.io/gpu=3 "
            "requests.example.com/gpu=3");
  EXPECT_EQ(Asked({{"example.com/nic", 3}}), "requests.example.com/nic=3");
}

TEST_F(DeviceClassesTest, TheNameOfTheClassItselfMayBeAskedFor) {
  EXPECT_EQ(Asked({{"deviceclass.resource.kubernetes.io/gpu", 2}}),
            "gpu.deviceclass.resource.k8s.io/devices=2 requests.deviceclass.resource.kubernetes.io/gpu=2");
  Set("gpu", "example.com/gpu");
  EXPECT_EQ(Asked({{"deviceclass.resource.kubernetes.io/gpu", 2}, {"example.com/gpu", 1}}),
            "gpu.deviceclass.resource.k8s.io/devices=3 requests.deviceclass.resource.kubernetes.io/gpu=3 "
            "requests.example.com/gpu=3")
      << "one claim of three devices is made for both";
}

TEST_F(DeviceClassesTest, OfTwoClassesOfOneResourceTheYoungestIsTaken) {
  Set("b-gpu", "example.com/gpu", 10);
  Set("a-gpu", "example.com/gpu", 10);
  EXPECT_EQ(classes_.ClassOf("example.com/gpu"), "a-gpu") << "equally old: the first by name";
  Set("z-gpu", "example.com/gpu", 11);
  EXPECT_EQ(classes_.ClassOf("example.com/gpu"), "z-gpu");
  classes_.Remove("z-gpu");
  EXPECT_EQ(classes_.ClassOf("example.com/gpu"), "a-gpu");
  Set("a-gpu", "example.com/other", 10);
  EXPECT_EQ(classes_.ClassOf("example.com/gpu"), "b-gpu");
  EXPECT_EQ(classes_.ClassOf("example.com/other"), "a-gpu");
}

TEST_F(DeviceClassesTest, KnowsWhichBudgetsAreOfDevices) {
  EXPECT_FALSE(classes_.Concern("requests.example.com/gpu"));
  Set("gpu", "example.com/gpu");
  EXPECT_TRUE(classes_.Concern("requests.example.com/gpu"));
  EXPECT_TRUE(classes_.Concern("cash/requests.example.com/gpu.A100.80GB")) << "of a model";
  EXPECT_FALSE(classes_.Concern("requests.example.com/gpus"));
  EXPECT_FALSE(classes_.Concern("requests.example.com"));
  EXPECT_FALSE(classes_.Concern("limits.cpu"));
}

}  // namespace
}  // namespace huygens::quota
