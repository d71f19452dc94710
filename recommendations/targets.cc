#include "recommendations/targets.h"

#include <algorithm>
#include <utility>

#include "recommendations/target_status.h"
#include "wire/object_meta.h"

namespace huygens::recommendations {

namespace {

using recommend::kResources;
using recommend::Resource;
using recommendation_api::Dimension;
using recommendation_api::RecommendationTemplate;
using recommendation_api::Target;

constexpr Duration kOldest = std::chrono::minutes(5);    // what was measured earlier says nothing of now
constexpr Duration kMostSkew = std::chrono::minutes(1);  // between clocks of two machines
constexpr Time kNever = Time::max();
constexpr size_t kMostCompared = 16;

Target TargetOf(const PodEntry& pod, Dimension dimension) {
  const std::string in(pod.namespace_name());
  switch (dimension) {
    case Dimension::kNamespace:
      return {in, dimension, "", "", ""};
    case Dimension::kPod:
      return {in, dimension, "", "", std::string(pod.name())};
    case Dimension::kWorkload:
      break;
  }
  // A pod that nobody made stands for itself.
  if (pod.shape->owner.kind.empty()) return {in, Dimension::kPod, "", "", std::string(pod.name())};
  return {in, dimension, pod.shape->owner.group, pod.shape->owner.kind, pod.shape->owner.name};
}

bool SameModel(const recommend::Profile& a, const recommend::Profile& b) {
  return a.half_life == b.half_life && a.cpu_percentile == b.cpu_percentile &&
         a.memory_percentile == b.memory_percentile;
}

}  // namespace

recommend::TargetHistory EmptyHistory(const recommend::Profile& profile) {
  // Each call of these makes buckets of its own: of thousands of targets the same are kept once.
  static const auto kCpuBuckets = recommend::HistogramOptions::Cpu(std::chrono::hours(1)).buckets;
  static const auto kMemoryBuckets = recommend::HistogramOptions::Memory(std::chrono::hours(1)).buckets;
  recommend::ModelOptions cpu = recommend::ModelOptions::Cpu(profile),
                          memory = recommend::ModelOptions::Memory(profile);
  cpu.histogram.buckets = kCpuBuckets;
  memory.histogram.buckets = kMemoryBuckets;
  return {cpu, memory};
}

TargetState::TargetState(Target of, const recommend::Profile& how)
    : target(std::move(of)), key(target.Key()), profile(how), history(EmptyHistory(how)) {}

size_t TargetState::Counting() const {
  return static_cast<size_t>(std::ranges::count_if(pods, [](const PodEntry* pod) { return pod->counts; }));
}

void Targets::SetTemplate(RecommendationTemplate object) {
  const auto known = templates_.find(object.metadata.name);
  const bool same = known != templates_.end() && known->second.metadata.uid == object.metadata.uid &&
                    known->second.namespaces == object.namespaces && known->second.selector == object.selector &&
                    known->second.kinds == object.kinds && known->second.dimension == object.dimension &&
                    known->second.policy == object.policy && known->second.defect == object.defect;
  templates_.insert_or_assign(object.metadata.name, std::move(object));
  if (!same) AssignAll();  // of most changes the status alone is one
}

void Targets::RemoveTemplate(std::string_view uid) {
  const auto gone = std::erase_if(templates_, [&](const auto& each) { return each.second.metadata.uid == uid; });
  if (gone > 0) AssignAll();
}

void Targets::AssignAll() {
  for (const auto& pod : pods_) {
    Unassign(*pod);
    Assign(*pod);
  }
}

void Targets::Assign(PodEntry& pod) {
  const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
    for (const auto& [name, value] : pod.shape->labels) {
      if (name == key) return value;
    }
    return std::nullopt;
  };
  const recommend::Profile of_the_pool = settings::ProfileOf(pools_.Of(pod.namespace_name(), label));
  for (const auto& [name, each] : templates_) {
    if (!each.Selects(pod.namespace_name(), label)) continue;
    const bool kind = each.kinds.empty() || std::ranges::find(each.kinds, pod.shape->owner.kind) != each.kinds.end();
    if (each.dimension == Dimension::kWorkload && !kind) continue;
    const recommend::Profile profile = recommendation_api::ProfileWith(each.policy, of_the_pool);
    TargetState& target = Ensure(TargetOf(pod, each.dimension), profile);
    // Of several templates with the same target the first by name counts.
    if (std::ranges::find(pod.targets, &target) != pod.targets.end()) continue;
    if (target.template_name != name) {
      target.template_name = name;
      Changed(target);
    }
    SetProfile(target, profile);
    pod.targets.push_back(&target);
    if (target.pods.empty()) Changed(target);
    target.pods.push_back(&pod);
    TakeShape(target, pod);
    TakeOomKills(target, pod);
  }
}

void Targets::Unassign(PodEntry& pod) {
  for (TargetState* target : pod.targets) {
    std::erase(target->pods, &pod);
    if (target->pods.empty()) Changed(*target);
  }
  pod.targets.clear();
}

TargetState& Targets::Ensure(const Target& target, const recommend::Profile& profile) {
  std::unique_ptr<TargetState>& state = targets_[target.Key()];
  if (state == nullptr) {
    state = std::make_unique<TargetState>(target, profile);
    Changed(*state);
  }
  return *state;
}

// A change of the percentile alone keeps what was measured.
void Targets::SetProfile(TargetState& target, const recommend::Profile& profile) {
  if (SameModel(target.profile, profile)) {
    target.profile = profile;
    return;
  }
  const std::string saved = target.measuring ? target.history.Save() : std::string();
  target.profile = profile;
  target.history = EmptyHistory(profile);
  target.measuring = target.measuring && target.history.Load(saved).ok();
  Changed(target);
}

void Targets::TakeShape(TargetState& target, const PodEntry& pod) {
  if (target.shape != nullptr && pod.created < target.shape_created) return;
  const bool same = target.shape == pod.shape || (target.shape != nullptr && *target.shape == *pod.shape);
  target.shape = pod.shape;
  target.shape_created = pod.created;
  if (!same) Changed(target);
}

void Targets::TakeOomKills(TargetState& target, const PodEntry& pod) {
  if (!target.measuring) return;
  for (const OomKill& each : pod.oom_kills) target.history.AddOomKill(each.bytes, each.time);
  if (!pod.oom_kills.empty()) {
    target.unsaved = true;
    Changed(target);
  }
}

void Targets::SetPod(MeasuredPod pod) {
  const std::string key = pod.Key();
  auto at = pods_.find(std::string_view(key));
  if (at != pods_.end() && (*at)->uid() != pod.uid) {
    RemovePod(std::string((*at)->uid()));
    at = pods_.end();
  }
  const bool is_new = at == pods_.end();
  if (is_new) {
    at = pods_.insert(std::make_unique<PodEntry>(key, pod.uid)).first;
    by_uid_.insert(at->get());
  }
  PodEntry* const entry = at->get();
  entry->created = pod.created;
  entry->running = pod.running;
  entry->counts = pod.counts;
  const bool killed = pod.oom_kills != entry->oom_kills;
  entry->oom_kills = std::move(pod.oom_kills);
  const bool same = !is_new && *entry->shape == *pod.shape;
  if (same) {
    for (TargetState* target : entry->targets) {
      if (killed) TakeOomKills(*target, *entry);
    }
    return;
  }
  if (!is_new) Unassign(*entry);
  entry->shape = std::move(pod.shape);
  Assign(*entry);
  // One shape for all pods of a workload that are alike.
  for (TargetState* target : entry->targets) {
    // Those that came last are most likely so; of a whole namespace not all are looked at.
    const size_t some = std::min(target->pods.size(), kMostCompared);
    const auto end = target->pods.rbegin() + static_cast<std::ptrdiff_t>(some);
    const auto alike = std::find_if(target->pods.rbegin(), end, [&](const PodEntry* other) {
      return other != entry && *other->shape == *entry->shape;
    });
    if (alike == end) continue;
    entry->shape = (*alike)->shape;
    if (*target->shape == *entry->shape) target->shape = entry->shape;
  }
}

void Targets::RemovePod(std::string_view uid) {
  const auto at = by_uid_.find(uid);
  if (at == by_uid_.end()) return;
  PodEntry* const pod = *at;
  by_uid_.erase(at);
  Unassign(*pod);
  pods_.erase(pods_.find(pod->key()));
}

void Targets::SetStored(const recommendation_api::Recommendation& stored) {
  const uint64_t version = wire::ParseResourceVersion(stored.metadata.resource_version);
  TargetState& target = Ensure(stored.target, recommend::kWeekly);
  if (target.uid == stored.metadata.uid && version <= target.version) return;
  if (!target.uid.empty() && target.uid != stored.metadata.uid) stored_keys_.erase(target.uid);
  target.uid = stored.metadata.uid;
  target.version = version;
  target.stored_template = stored.template_name;
  if (target.template_name.empty()) target.template_name = stored.template_name;
  target.conditions = stored.status.conditions;
  target.stored_digest = DigestOf(stored.status);
  target.stored_outline = OutlineOf(stored.status);
  target.deletion = stored.metadata.deletion_timestamp;
  target.gone_since = stored.status.gone_since;
  stored_keys_.insert_or_assign(stored.metadata.uid, target.key);
}

void Targets::RemoveStored(std::string_view uid) {
  const auto at = stored_keys_.find(uid);
  if (at == stored_keys_.end()) return;
  TargetState* target = Find(at->second);
  stored_keys_.erase(at);
  if (target == nullptr || target->uid != uid) return;
  target->uid.clear();
  target->version = target->stored_digest = target->stored_outline = 0;
  target->conditions.clear();
  target->deletion.reset();
  target->gone_since.reset();
  Changed(*target);
}

void Targets::BeginScan() {
  for (auto& [name, use] : pool_use_) use.used = use.requested = use.original = {};
}

Targets::Taken Targets::Take(std::span<const PodUse> uses, Time now) {
  Taken taken;
  std::string key;
  for (const PodUse& use : uses) {
    key.assign(use.namespace_name).append("/").append(use.name);
    const auto pod = pods_.find(std::string_view(key));
    if (pod == pods_.end() || !(*pod)->counts || use.time > now + kMostSkew || use.time < now - kOldest) {
      ++taken.left_out;
      continue;
    }
    if (TakeUse(**pod, use, std::min(use.time, now))) ++taken.counted;
  }
  for (TargetState* target : std::exchange(touched_, {})) {
    if (target->Model() != target->saved_model) Changed(*target);
  }
  return taken;
}

bool Targets::TakeUse(PodEntry& pod, const PodUse& use, Time time) {
  // Of another pod of this name, or told before.
  if (time <= pod.last_sample || time < pod.created) return false;
  pod.last_sample = time;
  absl::InlinedVector<std::optional<int64_t>, 4> amounts[kResources];
  recommend::PerResource<std::optional<int64_t>> sums{0, 0};
  const std::vector<PodContainer>& containers = pod.shape->containers;
  for (size_t i = 0; i < containers.size(); ++i) {
    const bool runs = pod.running == 0 || i >= 64 || (pod.running >> i & 1) != 0;
    if (!runs) continue;
    const auto of_it = std::ranges::find(use.containers, containers[i].name, &ContainerUse::name);
    for (size_t r = 0; r < kResources; ++r) {
      const auto amount = of_it == use.containers.end() ? std::nullopt : of_it->used[r];
      amounts[r].push_back(amount);
      sums[r] = sums[r] && amount ? std::optional(SaturatingAdd(*sums[r], *amount)) : std::nullopt;
    }
  }
  CountForPool(pod, sums);
  const int64_t original = pod.shape->SumOf(&PodContainer::original, Resource::kCpu).value_or(0);
  bool counts = false;
  for (TargetState* target : pod.targets) {
    if (!target->measuring || (target->restored_until && time <= *target->restored_until)) continue;
    // Which sample of a pod is a new one is known here: the history need not remember its pods.
    const recommend::PodReading cpu{"", time, original, amounts[0]}, memory{"", time, original, amounts[1]};
    if (!target->history.Add(cpu, memory)) continue;
    target->history.ForgetPods(kNever);
    counts = true;
    if (touched_.empty() || touched_.back() != target) touched_.push_back(target);
    target->unsaved = true;
  }
  return counts;
}

void Targets::CountForPool(const PodEntry& pod, const recommend::PerResource<std::optional<int64_t>>& used) {
  const settings::PoolConfiguration* pool = pools_.Of(pod.namespace_name(), pod.shape->labels);
  PoolUse& of_it = pool_use_[pool == nullptr ? std::string() : pool->name];
  for (size_t r = 0; r < kResources; ++r) {
    const auto requested = pod.shape->SumOf(&PodContainer::requested, static_cast<Resource>(r));
    const auto original = pod.shape->SumOf(&PodContainer::original, static_cast<Resource>(r));
    if (!used[r] || !requested) continue;
    of_it.used[r] = SaturatingAdd(of_it.used[r], *used[r]);
    of_it.requested[r] = SaturatingAdd(of_it.requested[r], *requested);
    of_it.original[r] = SaturatingAdd(of_it.original[r], original.value_or(*requested));
    ++of_it.samples[r];
    if (*used[r] > *requested) ++of_it.exceeded[r];
  }
}

void Targets::Begin(TargetState& target, std::optional<recommend::TargetHistory> history) {
  target.history = history ? *std::move(history) : EmptyHistory(target.profile);
  target.measuring = true;
  target.unsaved = false;
  target.saved_model = target.Model();
  target.restored_until.reset();
  if (target.history.cpu().last()) target.restored_until = *target.history.cpu().last();
  if (const auto& memory = target.history.memory().last()) {
    target.restored_until = std::max(target.restored_until.value_or(*memory), *memory);
  }
  for (const PodEntry* pod : target.pods) TakeOomKills(target, *pod);
}

void Targets::ForgetHistories() {
  for (auto& [key, target] : targets_) {
    target->history = EmptyHistory(target->profile);
    target->measuring = target->unsaved = false;
    target->restored_until.reset();
    target->saved_model = {};
    target->checkpoint_version.clear();
  }
  for (const auto& pod : pods_) pod->last_sample = {};
}

void Targets::Remove(const std::string& key) {
  const auto at = targets_.find(key);
  if (at == targets_.end() || !at->second->pods.empty()) return;
  stored_keys_.erase(at->second->uid);
  targets_.erase(at);
}

TargetState* Targets::Find(std::string_view key) {
  const auto at = targets_.find(key);
  return at == targets_.end() ? nullptr : at->second.get();
}

const TargetState* Targets::Find(std::string_view key) const {
  const auto at = targets_.find(key);
  return at == targets_.end() ? nullptr : at->second.get();
}

void Targets::ForEach(absl::FunctionRef<void(const TargetState&)> visit) const {
  for (const auto& [key, target] : targets_) visit(*target);
}

void Targets::ForEachTemplate(absl::FunctionRef<void(const RecommendationTemplate&)> visit) const {
  for (const auto& [name, each] : templates_) visit(each);
}

const RecommendationTemplate* Targets::FindTemplate(std::string_view name) const {
  const auto at = templates_.find(name);
  return at == templates_.end() ? nullptr : &at->second;
}

std::vector<std::string> Targets::Namespaces() const {
  std::vector<std::string> names;  // keys are in order, and begin with the namespace
  for (const auto& [key, target] : targets_) {
    if (target->pods.empty()) continue;
    if (names.empty() || names.back() != target->target.namespace_name) names.push_back(target->target.namespace_name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool Targets::HasUnselectedPods(const Target& target) const {
  return std::ranges::any_of(pods_, [&](const auto& each) {
    return each->namespace_name() == target.namespace_name && TargetOf(*each, target.dimension) == target;
  });
}

const settings::PoolConfiguration* Targets::PoolOf(const TargetState& target) const {
  return target.shape == nullptr ? nullptr : pools_.Of(target.target.namespace_name, target.shape->labels);
}

}  // namespace huygens::recommendations
