// Says in the status of each RecommendationTemplate what came of it. Keys are names of templates.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "recommendations/object_calls.h"
#include "recommendations/targets.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"

namespace huygens::recommendations {

class TemplateReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    Targets& targets;
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    std::function<std::string()> not_ready;
  };
  explicit TemplateReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "recommendationTemplates"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.not_ready(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void Look(const std::string& key) {
    if (keys_ != nullptr) keys_->Add(key);
  }

 private:
  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
};

}  // namespace huygens::recommendations
