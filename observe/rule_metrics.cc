#include "observe/rule_metrics.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "base/text.h"
#include "observe/by_value.h"
#include "observe/families.h"

namespace huygens::observe {
namespace {

using prometheus::Counter;
using prometheus::Gauge;

}  // namespace

struct RuleMetrics::Series {
  explicit Series(prometheus::Registry& registry)
      : written(CountersNamed(registry, "huygens_rules_objects_total",
                              "Objects seen on their way into the cluster, by kind and by what rules made of them.")),
        by_kind(kRuledKinds, kRuleResults,
                [this](const std::string& kind, std::string result) -> Counter& {
                  return written.Add({{"kind", kind}, {"result", std::move(result)}});
                }),
        judged(CountersNamed(registry, "huygens_rule_objects_total",
                             "Objects that a rule was for, by rule and by what became of it.")),
        conflicts(CountersNamed(registry, "huygens_rule_conflicts_total",
                                "Values of a rule that lost to another rule or to the object's own.")),
        known(GaugesNamed(registry, "huygens_rules", "SchedulingRules that are known, by whether they can be used.")),
        asked(CountersNamed(registry, "huygens_rule_reviews_total",
                            "SchedulingRules on their way into the cluster, by the answer.")),
        allowed(asked.Add({{"outcome", "allowed"}})),
        denied(asked.Add({{"outcome", "denied"}})) {}

  struct OfRule {
    Counter* by_verdict[std::size(kRuleVerdicts)] = {};
    Counter* conflicts = nullptr;
  };

  OfRule& Of(std::string_view rule) {
    const auto found = of_rule.find(rule);
    if (found != of_rule.end()) return found->second;
    OfRule& made = of_rule[std::string(rule)];
    for (size_t i = 0; i < std::size(kRuleVerdicts); ++i) {
      made.by_verdict[i] = &judged.Add({{"rule", std::string(rule)}, {"verdict", std::string(kRuleVerdicts[i])}});
    }
    made.conflicts = &conflicts.Add({{"rule", std::string(rule)}});
    return made;
  }

  CounterFamily& written;
  ByTwoValues<Counter> by_kind;
  CounterFamily& judged;
  CounterFamily& conflicts;
  prometheus::Family<Gauge>& known;
  CounterFamily& asked;
  Counter &allowed, &denied;
  std::mutex mutex;
  TextMap<OfRule> of_rule;
};

RuleMetrics::RuleMetrics(prometheus::Registry& registry) : series_(std::make_unique<Series>(registry)) {}
RuleMetrics::~RuleMetrics() = default;

void RuleMetrics::Written(std::string_view kind, std::string_view result) {
  series_->by_kind.At(kind, result).Increment();
}

void RuleMetrics::Judged(std::string_view rule, std::string_view verdict, size_t conflicts) {
  const auto at = std::ranges::find(kRuleVerdicts, verdict);
  const std::lock_guard lock(series_->mutex);
  Series::OfRule& of = series_->Of(rule);
  if (at != std::end(kRuleVerdicts)) of.by_verdict[at - std::begin(kRuleVerdicts)]->Increment();
  if (conflicts > 0) of.conflicts->Increment(static_cast<double>(conflicts));
}

void RuleMetrics::SetRules(const std::vector<std::string_view>& usable, size_t broken) {
  // Services that know nothing of rules do not say that there are none.
  series_->known.Add({{"state", "usable"}}).Set(static_cast<double>(usable.size()));
  series_->known.Add({{"state", "broken"}}).Set(static_cast<double>(broken));
  const std::lock_guard lock(series_->mutex);
  absl::erase_if(series_->of_rule, [&](const auto& each) {
    if (std::ranges::find(usable, each.first) != usable.end()) return false;
    for (Counter* counter : each.second.by_verdict) series_->judged.Remove(counter);
    series_->conflicts.Remove(each.second.conflicts);
    return true;
  });
}

void RuleMetrics::RuleAsked(bool allowed) { (allowed ? series_->allowed : series_->denied).Increment(); }

}  // namespace huygens::observe
