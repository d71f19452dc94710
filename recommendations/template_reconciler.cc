#include "recommendations/template_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace huygens::recommendations {

namespace {

using recommendation_api::RecommendationTemplate;
using recommendation_api::TemplateStatus;

constexpr Duration kBetween = std::chrono::seconds(15);
constexpr Duration kStatusTimeout = std::chrono::seconds(5);

TemplateStatus StatusNow(const RecommendationTemplate& object, const Targets& targets, Time now) {
  TemplateStatus status;
  status.observed_generation = object.metadata.generation;
  status.conditions = object.status.conditions;
  targets.ForEach([&](const TargetState& target) {
    if (target.template_name != object.metadata.name || target.uid.empty()) return;
    ++status.targets;
    const auto* ready = recommendation_api::FindCondition(target.conditions, recommendation_api::kReady);
    if (ready != nullptr && ready->status == "True") ++status.ready;
  });
  recommendation_api::Condition condition{std::string(recommendation_api::kReady), "True", "Selects", "", std::nullopt};
  if (!object.defect.empty()) {
    condition = {condition.type, "False", "Defective", object.defect, std::nullopt};
  } else if (status.targets == 0) {
    condition = {condition.type, "False", "SelectsNothing",
                 "no pod has the labels, namespaces and kinds that it names, or their recommendations are made soon",
                 std::nullopt};
  }
  recommendation_api::SetCondition(status.conditions, std::move(condition), now);
  return status;
}

}  // namespace

void TemplateReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  environment_.targets.ForEachTemplate([&](const RecommendationTemplate& each) { visit(each.metadata.name); });
}

void TemplateReconciler::Reconcile(const std::string& key, Done done) {
  const RecommendationTemplate* known = environment_.targets.FindTemplate(key);
  if (known == nullptr) return done({});
  RecommendationTemplate object;
  object.metadata = known->metadata;
  object.metadata.owners.clear();
  object.status = StatusNow(*known, environment_.targets, environment_.clock.Now());
  if (object.status == known->status) return done({.again = kBetween});
  environment_.calls.Post([this, object = std::move(object), done = std::move(done)](
                              net::Client& client, Duration longest) -> kube::CallPool::Then {
    return [this, done, written = WriteTemplateStatus(client, object, std::min(kStatusTimeout, longest))] {
      if (!written.ok()) return done({.status = written.status()});
      environment_.targets.SetTemplate(*written);
      done({.again = kBetween});
    };
  });
}

}  // namespace huygens::recommendations
