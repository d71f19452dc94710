#include "usage_sources/metrics_api_source.h"

#include <algorithm>
#include <utility>

#include "usage/estimate.h"
#include "usage/workload.h"

namespace huygens::usage_sources {
namespace {

using std::chrono::minutes;
using wire::ResourceMetrics;

// Samples older than that say nothing of now, and by then all of a slot have come.
constexpr auto kMaxAge = minutes(5);
// Between clocks of two machines.
constexpr auto kMaxSkew = minutes(1);
// Within that a pod gets its first sample, as metrics-server wants two readings of its counters, and loses its last.
constexpr auto kFirstSample = minutes(2);

// One notice for all that cannot be read, of the first by name, so that it stays the same while they do.
void NoteFault(const std::vector<ResourceMetrics>& samples, Progress& progress) {
  const std::string* first = nullptr;
  for (const ResourceMetrics& sample : samples) {
    if (!sample.fault.empty() && (first == nullptr || sample.fault < *first)) first = &sample.fault;
  }
  if (first != nullptr) progress.notices.push_back(Concat("metrics.k8s.io sends what cannot be read: ", *first));
}

}  // namespace

MetricsApiSource::MetricsApiSource(MetricsReader reader, usage::Options usage, PlacedPods& pods,
                                   std::unique_ptr<HistoryFile> history)
    : reader_(std::move(reader)), usage_(std::move(usage)), pods_(pods), history_(std::move(history)) {
  for (size_t i = 0; i < usage_.resources.size(); ++i) {
    const usage::ResourceOptions& resource = usage_.resources[i];
    if (resource.resource == kCpu || resource.resource == kMemory) {
      resources_.push_back({.position = i, .id = resource.resource});
    } else {
      notices_.push_back(Concat("metrics.k8s.io does not measure ", resource.name, ": that takes usage.prometheus"));
    }
  }
}

MetricsApiSource::~MetricsApiSource() { (void)Keep(INT64_MAX); }

StatusOr<Progress> MetricsApiSource::Refresh(Time now, const Deliver& deliver) {
  TakeChanges(now);
  if (history_ != nullptr && !replayed_) return Replay(now, deliver);
  if (!pods_.complete()) return Progress{.not_asked = "waiting for the first list of pods", .notices = notices_};
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<ResourceMetrics> pods, reader_.pods());
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<ResourceMetrics> nodes, reader_.nodes());
  TakeChanges(now);  // the samples may still have what left meanwhile
  Progress progress{.notices = notices_};
  NoteFault(pods, progress);
  NoteFault(nodes, progress);
  Sums sums;
  const TextSet measured = TakePods(pods, now, sums, progress);
  // Without them all that the nodes use would look like use of the system.
  if (measured.empty() && !nodes.empty()) return Unavailable("it has no metrics of any pod yet");
  AddStarting(measured, sums);
  TakeNodes(nodes, now, sums, progress);
  for (Resource& resource : resources_) {
    const auto remember_and_deliver = [&](usage::Readings readings) {
      if (history_ != nullptr) Remember(resource.kept, readings);
      deliver(std::move(readings));
    };
    std::exchange(resource.fresh, {}).DeliverTo(remember_and_deliver, resource.position);
    DeliverMoments(resource, deliver);
  }
  if (const Status kept = Keep(usage::SlotAt(now - kMaxAge, usage_.slot)); !kept.ok())
    progress.notices.push_back(Concat("the history goes on in memory only: ", Message(kept)));
  if (history_ != nullptr && !history_->compacted().ok()) {
    progress.notices.push_back(Concat("the history file keeps what is too old, since it cannot be rewritten: ",
                                      Message(history_->compacted())));
  }
  return progress;
}

void MetricsApiSource::TakeChanges(Time now) {
  const auto young = [&](const cluster::Pod& pod) { return *pod.start_time + kFirstSample >= now; };
  const auto placed = [&](std::string_view key, const cluster::Pod& pod) {
    const PodPointer known = pods_.Find(key);
    return known != nullptr && known->uid == pod.uid;
  };
  for (const auto& [key, pod] : pods_.TakeStarted())
    if (young(*pod)) starting_.insert_or_assign(key, pod);
  for (const auto& [key, pod] : pods_.TakeLeft()) left_.insert_or_assign(key, Left{.pod = pod, .taken = now});
  absl::erase_if(starting_,
                 [&](const auto& entry) { return !young(*entry.second) || !placed(entry.first, *entry.second); });
  absl::erase_if(left_, [&](const auto& entry) {
    return entry.second.taken + kFirstSample < now || placed(entry.first, *entry.second.pod);
  });
}

Progress MetricsApiSource::Replay(Time now, const Deliver& deliver) {
  replayed_ = true;
  const StatusOr<HistoryFile::Restored> restored = history_->Replay(now, deliver);
  if (!restored.ok()) {
    notices_.push_back(Concat("the history goes on in memory only: ", Message(restored.status())));
    history_.reset();
  }
  Progress progress{.more = true, .not_asked = "reading the history file", .notices = notices_};
  if (restored.ok() && restored->cut_off > 0) {
    progress.notices.push_back(Concat("the last ", std::to_string(restored->cut_off),
                                      " bytes of the history file were damaged and are cut off"));
  }
  return progress;
}

std::optional<int64_t> MetricsApiSource::SlotOf(const ResourceMetrics& sample, Time now) const {
  if (!sample.timestamp || *sample.timestamp < now - kMaxAge || *sample.timestamp > now + kMaxSkew) return std::nullopt;
  return usage::SlotAt(std::min(*sample.timestamp, now), usage_.slot);
}

MetricsApiSource::Owner MetricsApiSource::OwnerOf(std::string_view key, std::optional<Time> measured) const {
  PodPointer placed = pods_.Find(key);
  // Both times are of the same kubelet.
  if (placed != nullptr && placed->start_time && *placed->start_time <= measured) return {.pod = std::move(placed)};
  if (const auto left = left_.find(key); left != left_.end()) return {.pod = left->second.pod, .ended = true};
  const bool earlier = placed != nullptr && placed->start_time;
  return {.pod = std::move(placed), .ended = earlier};
}

TextSet MetricsApiSource::TakePods(const std::vector<ResourceMetrics>& samples, Time now, Sums& sums,
                                   Progress& progress) {
  TextSet measured;
  for (const ResourceMetrics& sample : samples) {
    std::string key = Concat(sample.namespace_name, "/", sample.name);
    const std::optional<int64_t> slot = SlotOf(sample, now);
    if (!slot) ++progress.left_out;
    const auto [pod, ended] = OwnerOf(key, sample.timestamp);
    if (pod == nullptr) continue;
    auto& sum = sums.try_emplace(pod->node_name, resources_.size(), 0).first->second;
    const std::string workload = usage::WorkloadOf(*pod);
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (!slot || !sample.usage.Has(resources_[i].id)) {
        sum[i].reset();
        continue;
      }
      const int64_t amount = sample.usage.Get(resources_[i].id);
      if (sum[i]) sum[i] = SaturatingAdd(*sum[i], amount);
      if (ended) continue;
      resources_[i].replicas.Add(workload, amount, std::min(*sample.timestamp, now));
    }
    if (slot && !ended) measured.insert(std::move(key));
  }
  for (Resource& resource : resources_) {
    const auto raise = [&](std::string_view workload, int64_t amount, Time at) {
      resource.fresh.Raise(resource.fresh.Subject(SubjectKind::kWorkload, workload), usage::SlotAt(at, usage_.slot),
                           amount, at);
    };
    std::exchange(resource.replicas, {}).DeliverTo(raise, usage_.replica_quantile);
  }
  return measured;
}

void MetricsApiSource::AddStarting(const TextSet& measured, Sums& sums) {
  absl::erase_if(starting_, [&](const auto& entry) { return measured.contains(entry.first); });
  for (const auto& [key, pod] : starting_) {
    auto& sum = sums.try_emplace(pod->node_name, resources_.size(), 0).first->second;
    for (size_t i = 0; i < resources_.size(); ++i)
      if (sum[i]) sum[i] = SaturatingAdd(*sum[i], usage::EstimateOf(*pod, resources_[i].id));
  }
}

void MetricsApiSource::TakeNodes(const std::vector<ResourceMetrics>& samples, Time now, const Sums& sums,
                                 Progress& progress) {
  for (const ResourceMetrics& sample : samples) {
    const std::optional<int64_t> slot = SlotOf(sample, now);
    if (!slot) {
      ++progress.left_out;
      continue;
    }
    const auto sum = sums.find(sample.name);
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (!sample.usage.Has(resources_[i].id)) continue;
      const std::optional<int64_t> of_pods = sum == sums.end() ? 0 : sum->second[i];
      if (!of_pods) continue;
      const int64_t system = std::max<int64_t>(0, sample.usage.Get(resources_[i].id) - *of_pods);
      SlotMaxima& fresh = resources_[i].fresh;
      fresh.Raise(fresh.Subject(SubjectKind::kNode, sample.name), *slot, system, *sample.timestamp);
      resources_[i].moments.push_back(
          {sample.name, *sample.timestamp, sample.usage.Get(resources_[i].id) - system, system});
    }
  }
}

void MetricsApiSource::DeliverMoments(Resource& resource, const Deliver& deliver) const {
  std::vector<usage::Moment> all = std::exchange(resource.moments, {});
  for (size_t begin = 0; begin < all.size(); begin += usage::kReadingsPerBatch) {
    const size_t end = std::min(all.size(), begin + usage::kReadingsPerBatch);
    const Time measured = all[begin].at;
    deliver({.resource = resource.position,
             .slot = usage::SlotAt(measured, usage_.slot),
             .measured = measured,
             .workloads = {},
             .nodes = {},
             .moments = {std::make_move_iterator(all.begin() + static_cast<ptrdiff_t>(begin)),
                         std::make_move_iterator(all.begin() + static_cast<ptrdiff_t>(end))}});
  }
}

void MetricsApiSource::Remember(SlotMaxima& kept, const usage::Readings& readings) {
  for (const usage::Reading& each : readings.workloads)
    kept.Raise(kept.Subject(SubjectKind::kWorkload, each.subject), readings.slot, each.amount, readings.measured);
  for (const usage::Reading& each : readings.nodes)
    kept.Raise(kept.Subject(SubjectKind::kNode, each.subject), readings.slot, each.amount, readings.measured);
}

Status MetricsApiSource::Keep(int64_t slot) {
  if (history_ == nullptr) return absl::OkStatus();
  std::vector<usage::Readings> closed;
  for (Resource& resource : resources_) {
    SlotMaxima open;
    const auto sort_out = [&](usage::Readings readings) {
      if (readings.slot >= slot) return Remember(open, readings);
      closed.push_back(std::move(readings));
    };
    std::exchange(resource.kept, {}).DeliverTo(sort_out, resource.position);
    resource.kept = std::move(open);
  }
  std::ranges::stable_sort(closed, {}, &usage::Readings::slot);
  if (!closed.empty()) kept_ = history_->Append(closed);
  return kept_;
}

}  // namespace huygens::usage_sources
