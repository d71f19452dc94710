// What ResourceQuota's admission (k8s.io/apiserver/pkg/admission/plugin/resourcequota CheckRequest, 1.36.3) said of the
// same requests. Business groups have no scopes and no list of resources that need a quota, so rows with either are
// left out, and so are requests that ResourceQuota does not look at.
#include <gtest/gtest.h>

#include "quota/check.h"
#include "quota/pod_usage.h"
#include "tests/quota/groups.h"
#include "tests/quota/vectors.h"

namespace huygens::quota {
namespace {

// As the evaluator of pods tracks them; what else a ResourceQuota names, it does not enforce.
bool IsTracked(std::string_view key) {
  for (std::string_view fixed :
       {"cpu", "requests.cpu", "limits.cpu", "memory", "requests.memory", "limits.memory", "ephemeral-storage",
        "requests.ephemeral-storage", "limits.ephemeral-storage", "pods", "count/pods"}) {
    if (key == fixed) return true;
  }
  if (key.starts_with("hugepages-") || key.starts_with("requests.hugepages-")) return true;
  return key.starts_with("requests.") && IsKnownKey(key) && key.find('/') != std::string_view::npos;
}

Amounts Tracked(const json::value& list) {
  Amounts tracked;
  for (const auto& [key, amount] : ToAmounts(list)) {
    if (IsTracked(key)) tracked.emplace_back(key, amount);
  }
  return tracked;
}

// "a=1,b=2"
Amounts ParseList(std::string_view text) {
  Amounts amounts;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    size_t equals = item.find('=');
    Set(amounts, item.substr(0, equals), *Quantity::Parse(item.substr(equals + 1)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return amounts;
}

// Between `from` and `to` (or the end).
std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  size_t begin = text.find(from);
  if (begin == std::string::npos) return "?";
  begin += from.size();
  return text.substr(begin, to.empty() ? std::string::npos : text.find(to, begin) - begin);
}

void ExpectShortages(const Verdict& verdict, const std::string& error) {
  Amounts requested, used, hard;
  for (const Shortage& shortage : verdict.shortages) {
    Set(requested, shortage.key, shortage.requested);
    Set(used, shortage.key, shortage.used);
    Set(hard, shortage.key, shortage.hard);
  }
  EXPECT_EQ(requested, ParseList(Between(error, "requested: ", ", used: "))) << error;
  EXPECT_EQ(used, ParseList(Between(error, "used: ", ", limited: "))) << error;
  EXPECT_EQ(hard, ParseList(Between(error, "limited: ", ""))) << error;
}

struct Judged {
  std::string quota;  // that refused
  Verdict verdict;
};

// What of the pod is new.
Amounts IncreaseOf(const json::object& vector, ResourceNames& names) {
  Amounts usage = ToAmounts(vector.at("usage"));
  const json::value& old = vector.at("old_pod");
  if (old.is_null() || vector.at("operation").as_string() == "CREATE") return usage;
  const json::value* version = old.at("metadata").as_object().if_contains("resourceVersion");
  if (!version || version->as_string().empty()) return usage;
  return Increase(usage, PodUsage(ToPod(old, names), {}, names, {}));
}

Judged Judge(const json::object& vector, const Amounts& increase, ResourceNames& names) {
  const cluster::Pod pod = ToPod(vector.at("pod"), names);
  for (const json::value& quota : vector.at("quotas").as_array()) {
    const std::string name(quota.at("metadata").at("name").as_string());
    const Amounts hard = Tracked(quota.at("status").at("hard"));
    std::string missing = MissingValues(pod, {}, hard);
    if (!missing.empty()) return {name, {Outcome::kMustSpecify, {}, missing}};
    Verdict verdict = CheckAgainst(hard, ToAmounts(quota.at("status").at("used")), increase);
    if (verdict.outcome == Outcome::kUnknownStatus) return {name, verdict};
  }
  if (!NegativeKeys(ToAmounts(vector.at("usage"))).empty()) return {"", {Outcome::kNegative, {}, "negative"}};
  for (const json::value& quota : vector.at("quotas").as_array()) {
    Verdict verdict =
        CheckAgainst(Tracked(quota.at("status").at("hard")), ToAmounts(quota.at("status").at("used")), increase);
    if (!verdict.fits()) return {std::string(quota.at("metadata").at("name").as_string()), verdict};
  }
  return {};
}

bool Applies(const json::object& vector) {
  if (!vector.at("limited").as_array().empty() || !vector.at("expect").at("handles").as_bool()) return false;
  for (const json::value& quota : vector.at("quotas").as_array()) {
    const json::object& spec = quota.at("spec").as_object();
    if (spec.contains("scopes") || spec.contains("scopeSelector")) return false;
  }
  return true;
}

bool AddsNothing(Amounts increase) {
  RemoveZeros(increase);
  return increase.empty();
}

TEST(QuotaCheckConformance, RefusesWhatResourceQuotaRefusesForTheSameReason) {
  const std::vector<json::object> vectors = test::ReadVectors("quota_check.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("quota_check.jsonl.gz");
  ResourceNames names;
  size_t allowed = 0, refused = 0, left_out = 0;
  for (const json::object& vector : vectors) {
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    if (!Applies(vector)) {
      ++left_out;
      continue;
    }
    const Amounts increase = IncreaseOf(vector, names);
    const Judged judged = Judge(vector, increase, names);
    const json::object& expect = vector.at("expect").as_object();
    const std::string error = OptionalText(expect.at("error"));
    if (AddsNothing(increase) && error.find("status unknown") != std::string::npos) {
      EXPECT_TRUE(judged.verdict.fits());  // ours passes: what adds nothing needs no figures
      ++left_out;
      continue;
    }
    EXPECT_EQ(judged.verdict.fits(), expect.at("allowed").as_bool())
        << error << " / " << Text(judged.verdict, judged.quota);
    if (judged.verdict.fits()) {
      ++allowed;
      continue;
    }
    ++refused;
    if (error.find("exceeded quota: ") != std::string::npos) {
      EXPECT_EQ(judged.quota, Between(error, "exceeded quota: ", ","));
      ExpectShortages(judged.verdict, error);
    } else if (error.find("failed quota: ") != std::string::npos) {
      EXPECT_EQ(Concat(judged.quota, ": ", judged.verdict.detail), Between(error, "failed quota: ", ""));
    } else if (error.find("status unknown") != std::string::npos) {
      EXPECT_EQ(judged.verdict.outcome, Outcome::kUnknownStatus) << error;
      EXPECT_EQ(judged.quota, Between(error, "status unknown for quota: ", ","));
    } else {
      EXPECT_EQ(judged.verdict.outcome, Outcome::kNegative) << error;
    }
  }
  std::printf("quota checks: %zu allowed, %zu refused, %zu left out\n", allowed, refused, left_out);
  EXPECT_EQ(allowed + refused + left_out, 250u);
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace huygens::quota
