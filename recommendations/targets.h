// All that there are to be recommendations of: the targets that templates make of pods, and what each of them used. It
// reads no clock and calls nobody but who is told of changes, so that the controller, the tests and the benchmark run the
// same code. Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "base/text.h"
#include "base/time.h"
#include "recommend/target_history.h"
#include "recommendation_api/recommendation.h"
#include "recommendation_api/recommendation_template.h"
#include "recommendations/measured_pod.h"
#include "recommendations/pod_use.h"
#include "settings/overcommit_pools.h"

namespace huygens::recommendations {

struct TargetState;

// Of a target that was never measured.
recommend::TargetHistory EmptyHistory(const recommend::Profile& profile);

// A pod that is there. Of a large cluster there are many.
struct PodEntry {
  PodEntry(std::string_view key, std::string_view uid) : text_(Concat(key, uid)), key_size_(key.size()) {}

  std::string_view key() const { return std::string_view(text_).substr(0, key_size_); }  // namespace/name
  std::string_view uid() const { return std::string_view(text_).substr(key_size_); }
  std::string_view namespace_name() const { return key().substr(0, key().find('/')); }
  std::string_view name() const { return key().substr(key().find('/') + 1); }

  std::shared_ptr<const PodShape> shape;
  Time created, last_sample;
  uint64_t running = 0;
  bool counts = false;
  std::vector<OomKill> oom_kills;
  absl::InlinedVector<TargetState*, 1> targets;

 private:
  const std::string text_;
  const size_t key_size_;
};

// Sets of pods that are looked up by a text of theirs, which is kept once.
template <std::string_view (PodEntry::*kText)() const>
struct ByText {
  using is_transparent = void;
  static std::string_view Of(std::string_view text) { return text; }
  static std::string_view Of(const PodEntry* pod) { return (pod->*kText)(); }
  static std::string_view Of(const std::unique_ptr<PodEntry>& pod) { return ((*pod).*kText)(); }

  size_t operator()(const auto& pod) const { return TextHash()(Of(pod)); }
  bool operator()(const auto& a, const auto& b) const { return Of(a) == Of(b); }
};

struct TargetState {
  TargetState(recommendation_api::Target of, const recommend::Profile& how);

  recommendation_api::Target target;
  std::string key;
  std::string template_name;  // that made it last
  recommend::Profile profile;
  recommend::TargetHistory history;
  // The history is what it should be, and samples are added. False: what is stored of it was not looked for yet.
  bool measuring = false;
  std::optional<Time> restored_until;            // samples up to then are in what was stored
  bool unsaved = false;                          // there are samples since the last checkpoint
  recommend::PerResource<double> saved_model{};  // what the model said then
  std::vector<PodEntry*> pods;                   // in no order
  std::shared_ptr<const PodShape> shape;  // of the pod that was created last, even if that is gone; null: unknown
  Time shape_created;

  // The Recommendation as it is stored; uid is empty: there is none.
  std::string uid, stored_template;
  uint64_t version = 0;                            // its resource version
  uint64_t stored_digest = 0, stored_outline = 0;  // of its status (target_status.h)
  std::vector<recommendation_api::Condition> conditions;
  std::optional<Time> deletion, gone_since;
  std::string checkpoint_version;  // resource version of what is stored of its history; empty: there is none

  recommend::PerResource<double> Model() const { return {history.cpu().Value(), history.memory().Value()}; }
  size_t Counting() const;  // pods that run
};

class Targets {
 public:
  // Told the key of a target that wants to be looked at: new, without its recommendation, or of another value.
  using OnChange = std::function<void(const std::string& key)>;

  explicit Targets(settings::OvercommitPools pools, OnChange on_change = nullptr)
      : pools_(std::move(pools)), on_change_(std::move(on_change)) {}

  const settings::OvercommitPools& pools() const { return pools_; }

  void SetTemplate(recommendation_api::RecommendationTemplate object);
  void RemoveTemplate(std::string_view uid);
  void SetPod(MeasuredPod pod);
  void RemovePod(std::string_view uid);
  // As it is stored; what is older than what is known is passed over.
  void SetStored(const recommendation_api::Recommendation& recommendation);
  void RemoveStored(std::string_view uid);

  struct Taken {
    size_t counted = 0, left_out = 0;  // samples; left out: in the future, too old, or of a pod that is not known
  };
  // Adds what pods use to what is known of their targets. The same twice counts once.
  Taken Take(std::span<const PodUse> uses, Time now);

  // From now on samples are added. `history`: what there was before; nothing: it begins now.
  void Begin(TargetState& target, std::optional<recommend::TargetHistory> history);
  // Another instance goes on: nothing is known any more of what was used.
  void ForgetHistories();
  // For who has seen that nobody wants it any more; not while it has pods.
  void Remove(const std::string& key);

  TargetState* Find(std::string_view key);
  const TargetState* Find(std::string_view key) const;
  // In the order of their keys.
  void ForEach(absl::FunctionRef<void(const TargetState&)> visit) const;
  void ForEachTemplate(absl::FunctionRef<void(const recommendation_api::RecommendationTemplate&)> visit) const;
  // In no order.
  void ForEachPod(absl::FunctionRef<void(const PodEntry&)> visit) const {
    for (const auto& pod : pods_) visit(*pod);
  }
  // By namespace/name; null: there is none.
  const PodEntry* FindPod(std::string_view key) const {
    const auto at = pods_.find(key);
    return at == pods_.end() ? nullptr : at->get();
  }
  const recommendation_api::RecommendationTemplate* FindTemplate(std::string_view name) const;
  // Namespaces with pods whose use is wanted.
  std::vector<std::string> Namespaces() const;
  // Whether there are pods that the target would have, were they selected.
  bool HasUnselectedPods(const recommendation_api::Target& target) const;
  size_t size() const { return targets_.size(); }
  size_t pods() const { return pods_.size(); }

  const settings::PoolConfiguration* PoolOf(const TargetState& target) const;

  // What one pool's pods used in the last scan, and how often they were above what they ask for, ever since.
  struct PoolUse {
    recommend::PerResource<int64_t> used{}, requested{}, original{};
    recommend::PerResource<uint64_t> samples{}, exceeded{};
  };
  const std::map<std::string, PoolUse>& pool_use() const { return pool_use_; }
  void BeginScan();

 private:
  void Assign(PodEntry& pod);
  void Unassign(PodEntry& pod);
  TargetState& Ensure(const recommendation_api::Target& target, const recommend::Profile& profile);
  void TakeShape(TargetState& target, const PodEntry& pod);
  void SetProfile(TargetState& target, const recommend::Profile& profile);
  void TakeOomKills(TargetState& target, const PodEntry& pod);
  bool TakeUse(PodEntry& pod, const PodUse& use, Time time);
  void CountForPool(const PodEntry& pod, const recommend::PerResource<std::optional<int64_t>>& used);
  void Changed(const TargetState& target) const {
    if (on_change_) on_change_(target.key);
  }
  void AssignAll();

  settings::OvercommitPools pools_;
  OnChange on_change_;
  std::map<std::string, recommendation_api::RecommendationTemplate, std::less<>> templates_;  // by name
  absl::flat_hash_set<std::unique_ptr<PodEntry>, ByText<&PodEntry::key>, ByText<&PodEntry::key>> pods_;
  absl::flat_hash_set<PodEntry*, ByText<&PodEntry::uid>, ByText<&PodEntry::uid>> by_uid_;
  std::map<std::string, std::unique_ptr<TargetState>, std::less<>> targets_;
  TextMap<std::string> stored_keys_;  // by UID of the Recommendation
  std::map<std::string, PoolUse> pool_use_;
  std::vector<TargetState*> touched_;
};

}  // namespace huygens::recommendations
