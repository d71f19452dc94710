#include "rule_keeping/history_reconciler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "rule_history/revision.h"

namespace huygens::rule_keeping {

namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(10);

// The generation that is kept then; NotFound: the rule is gone.
StatusOr<int64_t> KeepRevision(net::Client& client, const std::string& rule, const std::string& namespace_name,
                               Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const rule_history::RuleState state,
                           kube::CallForObject(rule_history::DecodeRuleState, client, "GET",
                                               Concat(rules::kRulesPath, "/", rule), "", timeout));
  const std::string path = Concat("/apis/apps/v1/namespaces/", namespace_name, "/controllerrevisions");
  HUYGENS_ASSIGN_OR_RETURN(
      std::vector<rule_history::Revision> kept,
      kube::CallForObject(rule_history::DecodeRevisions, client, "GET",
                          Concat(path, "?labelSelector=", net::PercentEncoded(rule_history::kRuleLabel)), "", timeout));
  const rule_history::Step step = rule_history::NextStep(state, std::move(kept), namespace_name);
  if (step.create) {
    const Status created =
        kube::CallForObject(client, "POST", path, rule_history::EncodeRevision(*step.create), timeout).status();
    if (absl::IsNotFound(created)) return Refused(Concat("there is no namespace ", namespace_name));
    if (!created.ok()) return Annotate(created, "a revision of the rule");
  }
  if (step.renumber) {
    HUYGENS_RETURN_IF_ERROR(kube::CallForObject(client, "PUT", Concat(path, "/", step.renumber->name),
                                                rule_history::EncodeRevision(*step.renumber), timeout)
                                .status());
  }
  for (const std::string& name : step.remove) {
    Status removed = kube::CallForObject(client, "DELETE", Concat(path, "/", name), "", timeout).status();
    if (!removed.ok() && !absl::IsNotFound(removed)) return removed;
  }
  return state.generation;
}

}  // namespace

void HistoryReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  for (const rules::SchedulingRule& rule : environment_.watched.rules()->rules()) visit(rule.name);
}

void HistoryReconciler::Look() {
  if (keys_ == nullptr) return;
  for (const rules::SchedulingRule& rule : environment_.watched.rules()->rules()) {
    const auto kept = kept_.find(rule.uid);
    if (kept == kept_.end() || kept->second != rule.generation) keys_->Add(rule.name);
  }
}

void HistoryReconciler::Reconcile(const std::string& key, Done done) {
  const rules::SchedulingRule* rule = environment_.watched.rules()->Find(key);
  if (rule == nullptr || !kube::IsObjectName(key)) return done({});
  const auto kept = kept_.find(rule->uid);
  if (kept != kept_.end() && kept->second == rule->generation) return done({});
  environment_.calls.Post([this, key, uid = rule->uid, namespace_name = environment_.namespace_name,
                           done = std::move(done)](net::Client& client, Duration longest) -> kube::CallPool::Then {
    const StatusOr<int64_t> generation = KeepRevision(client, key, namespace_name, std::min(longest, kCallTimeout));
    return [this, key, uid, generation, done] {
      if (absl::IsNotFound(generation.status())) return done({});
      if (!generation.ok()) return done({.status = Annotate(generation.status(), Concat("history of the rule ", key))});
      kept_[uid] = *generation;
      done({});
    };
  });
}

}  // namespace huygens::rule_keeping
