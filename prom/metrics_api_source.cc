#include "prom/metrics_api_source.h"

#include <algorithm>
#include <utility>

#include "usage/estimate.h"
#include "usage/workload.h"

namespace huygens::prom {
namespace {

using std::chrono::minutes;
using wire::ResourceMetrics;

// Samples older than that say nothing of now, and by then all of a slot have come.
constexpr auto kMaxAge = minutes(5);
// Between clocks of two machines.
constexpr auto kMaxSkew = minutes(1);
// Within that a pod gets its first sample: metrics-server wants two readings of its counters.
constexpr auto kFirstSample = minutes(2);

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
  for (PodPointer& pod : pods_.TakeStarted()) starting_.insert_or_assign(pod->Key(), std::move(pod));
  if (history_ != nullptr && !replayed_) return Replay(now, deliver);
  if (!pods_.complete()) return Unavailable("waiting for the first list of pods");
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<ResourceMetrics> pods, reader_.pods());
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<ResourceMetrics> nodes, reader_.nodes());
  Progress progress{.notices = notices_};
  Sums sums;
  TakePods(pods, now, sums, progress);
  // Without them all that the nodes use would look like use of the system.
  if (sums.empty() && !nodes.empty()) return Unavailable("it has no metrics of any pod yet");
  TakeNodes(nodes, now, sums, progress);
  for (Resource& resource : resources_) {
    const auto remember_and_deliver = [&](usage::Readings readings) {
      if (history_ != nullptr) Remember(resource.kept, readings);
      deliver(std::move(readings));
    };
    std::exchange(resource.fresh, {}).DeliverTo(remember_and_deliver, resource.position);
  }
  if (const Status kept = Keep(usage::SlotAt(now - kMaxAge, usage_.slot)); !kept.ok())
    progress.notices.push_back(Concat("the history goes on in memory only: ", Message(kept)));
  return progress;
}

Progress MetricsApiSource::Replay(Time now, const Deliver& deliver) {
  replayed_ = true;
  const StatusOr<HistoryFile::Restored> restored = history_->Replay(now, deliver);
  if (!restored.ok()) {
    notices_.push_back(Concat("the history goes on in memory only: ", Message(restored.status())));
    history_.reset();
  }
  Progress progress{.more = true, .left_out = 0, .notices = notices_};
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

void MetricsApiSource::TakePods(const std::vector<ResourceMetrics>& samples, Time now, Sums& sums, Progress& progress) {
  TextSet measured;
  for (const ResourceMetrics& sample : samples) {
    std::string key = Concat(sample.namespace_name, "/", sample.name);
    const PodPointer pod = pods_.Find(key);
    if (pod == nullptr) continue;
    const std::optional<int64_t> slot = SlotOf(sample, now);
    if (!slot) {
      ++progress.left_out;
      continue;
    }
    std::vector<int64_t>& sum = sums[pod->node_name];
    sum.resize(resources_.size());
    const std::string workload = usage::WorkloadOf(*pod);
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (!sample.usage.Has(resources_[i].id)) continue;
      const int64_t amount = sample.usage.Get(resources_[i].id);
      SlotMaxima& fresh = resources_[i].fresh;
      fresh.Raise(fresh.Subject(SubjectKind::kWorkload, workload), *slot, amount, *sample.timestamp);
      sum[i] = SaturatingAdd(sum[i], amount);
    }
    measured.insert(std::move(key));
  }
  AddStarting(measured, now, sums);
}

void MetricsApiSource::AddStarting(const TextSet& measured, Time now, Sums& sums) {
  absl::erase_if(starting_, [&](const auto& entry) {
    const auto& [key, pod] = entry;
    return measured.contains(key) || *pod->start_time + kFirstSample < now || pods_.Find(key) != pod;
  });
  for (const auto& [key, pod] : starting_) {
    const auto sum = sums.find(pod->node_name);
    if (sum == sums.end()) continue;
    for (size_t i = 0; i < resources_.size(); ++i)
      sum->second[i] = SaturatingAdd(sum->second[i], usage::EstimateOf(*pod, resources_[i].id));
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
      const int64_t of_pods = sum == sums.end() ? 0 : sum->second[i];
      const int64_t system = std::max<int64_t>(0, sample.usage.Get(resources_[i].id) - of_pods);
      SlotMaxima& fresh = resources_[i].fresh;
      fresh.Raise(fresh.Subject(SubjectKind::kNode, sample.name), *slot, system, *sample.timestamp);
    }
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
    const std::optional<int64_t> first = resource.kept.FirstSlot(SubjectKind::kWorkload);
    if (!first || *first >= slot) continue;
    SlotMaxima open;
    const auto sort_out = [&](usage::Readings readings) {
      if (readings.slot >= slot) return Remember(open, readings);
      closed.push_back(std::move(readings));
    };
    std::exchange(resource.kept, {}).DeliverTo(sort_out, resource.position);
    resource.kept = std::move(open);
  }
  std::ranges::stable_sort(closed, {}, &usage::Readings::slot);
  return history_->Append(closed);
}

}  // namespace huygens::prom
