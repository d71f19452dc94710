// What ResourceQuota's pod evaluator of Kubernetes 1.36.3 said of the same pods, raw and as the API server defaults
// them.
#include <gtest/gtest.h>

#include "quota/pod_usage.h"
#include "tests/quota/vectors.h"

namespace huygens::quota {
namespace {

// The keys that ResourceQuota counts, of a list of keys.
Amounts Counted(const json::value& keys) {
  Amounts amounts;
  for (const json::value& key : keys.as_array()) Set(amounts, std::string(key.as_string()), Quantity());
  return amounts;
}

class QuotaUsageConformance : public testing::Test {
 protected:
  void SetUp() override {
    vectors_ = test::ReadVectors("quota_usage.jsonl.gz");
    if (vectors_.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("quota_usage.jsonl.gz");
    EXPECT_EQ(vectors_.size(), 500u);
  }

  // Amounts are decoded to whole base units, rounded up each; upstream adds the exact ones. Devices that containers ask
  // for by their class it charges with the claim that is made for the pod, and not with the pod.
  void ExpectUsage(Amounts usage, const json::value& expected, const cluster::Pod& pod) {
    const Amounts wanted = ToAmounts(expected);
    std::erase_if(usage, [](const auto& each) { return each.first.ends_with(".deviceclass.resource.k8s.io/devices"); });
    EXPECT_TRUE(LackingKeys(usage, wanted).empty() && LackingKeys(wanted, usage).empty())
        << ToText(usage) << "\nwanted " << ToText(wanted);
    const auto parts = static_cast<int64_t>(pod.containers.size() + pod.init_containers.size() + 1);
    for (const auto& [key, amount] : wanted) {
      const Quantity found = Get(usage, key);
      Quantity above = found;
      above.Sub(amount);
      ++amounts_;
      if (above.IsZero()) continue;
      ++rounded_;
      const Quantity unit = IsCpuKey(key) ? Quantity::FromMilli(parts) : Quantity::FromInt(parts);
      if (IsSaturated(key, found)) {  // more than 8 EiB or 9 P cores
        ++saturated_;
        continue;
      }
      EXPECT_GT(above.Sign(), 0) << key << " " << found.Text() << " wanted " << amount.Text();
      EXPECT_LT(above, unit) << key << " " << found.Text() << " wanted " << amount.Text();
    }
  }

  static bool IsSaturated(std::string_view key, const Quantity& amount) {
    return (IsCpuKey(key) ? amount.MilliValue() : amount.Value()) == std::numeric_limits<int64_t>::max();
  }

  ResourceNames names_;
  std::vector<json::object> vectors_;
  size_t amounts_ = 0, rounded_ = 0, saturated_ = 0, late_ = 0;
};

// Whether the pod's deadline has passed is not among what huygens reads: it holds what it holds until the API server
// says that it is gone.
bool PastDeadline(const json::object& vector) {
  const json::value& pod = vector.at("pod");
  return HasTag(vector, "deleting") && HasTag(vector, "not-charged") && pod.is_object();
}

TEST_F(QuotaUsageConformance, A15_UsageOfAPod) {
  for (const json::object& vector : vectors_) {
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    const cluster::Pod pod = ToPod(vector.at("pod"), names_);
    if (PastDeadline(vector) && !pod.Terminal()) {
      ++late_;
      continue;
    }
    ExpectUsage(PodUsage(pod, {}, names_, {}), vector.at("expect").at("usage"), pod);
  }
  std::printf(
      "usage: %zu amounts, %zu differ by rounding, %zu of them saturate; %zu pods past their deadline left out\n",
      amounts_, rounded_, saturated_, late_);
}

TEST_F(QuotaUsageConformance, A15_UsageOfTheDefaultedPod) {
  for (const json::object& vector : vectors_) {
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    cluster::Pod pod = ToPod(vector.at("pod"), names_);
    if (PastDeadline(vector) && !pod.Terminal()) continue;
    DefaultPod(pod);
    ExpectUsage(PodUsage(pod, {}, names_, {}), vector.at("defaulted").at("usage"), pod);
  }
  std::printf("defaulted usage: %zu amounts, %zu differ by rounding, %zu of them saturate\n", amounts_, rounded_,
              saturated_);
}

TEST_F(QuotaUsageConformance, A9_MandatoryValues) {
  size_t missing = 0;
  for (const json::object& vector : vectors_) {
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    cluster::Pod pod = ToPod(vector.at("pod"), names_);
    const Amounts hard = Counted(vector.at("expect").at("matching_resources"));
    EXPECT_EQ(MissingValues(pod, {}, hard), OptionalText(vector.at("expect").at("constraints_error")));
    DefaultPod(pod);
    EXPECT_EQ(MissingValues(pod, {}, hard), OptionalText(vector.at("defaulted").at("constraints_error")));
    if (!vector.at("expect").at("constraints_error").is_null()) ++missing;
  }
  EXPECT_GT(missing, 200u);
}

}  // namespace
}  // namespace huygens::quota
