// Use as the resource metrics API (metrics-server) has it: no history, only what is used now. So the history is made
// here: the highest of the samples of each slot, kept in a file if one is given (usage_sources/history_file.h). It
// knows cpu and memory.
//
// What a node used beyond its pods is its own sample less those of the pods on it. A pod that started so lately that it
// has no sample yet counts with its estimate there, so that its start does not pass for system use; the last sample of
// a pod that left of late is taken off too, and counts for nothing else. Samples of pods that were never seen count
// nowhere. A node of which a pod has a sample that is no measurement is not read that time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "usage/options.h"
#include "usage_sources/history_file.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/replicas.h"
#include "usage_sources/slot_maxima.h"
#include "usage_sources/source.h"
#include "wire/metrics_api.h"

namespace huygens::usage_sources {

// Reads the metrics of all pods or nodes; blocks. `cancel` ends that from another thread, for good.
struct MetricsReader {
  std::function<StatusOr<std::vector<wire::ResourceMetrics>>()> pods;
  std::function<StatusOr<std::vector<wire::ResourceMetrics>>()> nodes;
  std::function<void()> cancel;
};

class MetricsApiSource final : public Source {
 public:
  // `history` may be null: then the history ends with the process. `pods`, which are all there
  // are, outlive the source.
  MetricsApiSource(MetricsReader reader, usage::Options usage, PlacedPods& pods, std::unique_ptr<HistoryFile> history);
  // Keeps what the open slot has so far.
  ~MetricsApiSource() override;

  std::string name() const override { return "metrics.k8s.io"; }
  StatusOr<Progress> Refresh(Time now, const Deliver& deliver) override;
  void Cancel() override { reader_.cancel(); }

 private:
  // Use of the pods on each node so far, by position in resources_; nothing where one of them is not known.
  using Sums = TextMap<std::vector<std::optional<int64_t>>>;
  struct Resource {
    size_t position = 0;  // in usage_.resources
    ResourceId id = kCpu;
    SlotMaxima fresh;   // of this refresh
    Replicas replicas;  // likewise
    std::vector<usage::Moment> moments;
    SlotMaxima kept;  // since the last slot that was written
  };

  struct Left {
    PodPointer pod;
    Time taken;
  };
  struct Owner {
    PodPointer pod;      // null: never seen
    bool ended = false;  // and of no interest but for what its node used
  };

  // Learns which pods started and left of late, forgets those of earlier.
  void TakeChanges(Time now);
  Progress Replay(Time now, const Deliver& deliver);
  // The pod that a sample is of, which may be the last one of that name.
  Owner OwnerOf(std::string_view key, std::optional<Time> measured) const;
  // The slot of a sample; nothing where its time is too old or in the future.
  std::optional<int64_t> SlotOf(const wire::ResourceMetrics& sample, Time now) const;
  // The keys of the pods that it found measured.
  TextSet TakePods(const std::vector<wire::ResourceMetrics>& samples, Time now, Sums& sums, Progress& progress);
  void AddStarting(const TextSet& measured, Sums& sums);
  void TakeNodes(const std::vector<wire::ResourceMetrics>& samples, Time now, const Sums& sums, Progress& progress);
  void DeliverMoments(Resource& resource, const Deliver& deliver) const;
  // Adds to what the file does not have yet.
  static void Remember(SlotMaxima& kept, const usage::Readings& readings);
  // Writes the slots before `slot`, and folds the rest. Fails as the last write did until one works.
  Status Keep(int64_t slot);

  const MetricsReader reader_;
  const usage::Options usage_;
  PlacedPods& pods_;
  std::unique_ptr<HistoryFile> history_;
  Status kept_;  // of the last write
  bool replayed_ = false;
  std::vector<std::string> notices_;  // that hold from the start
  std::vector<Resource> resources_;   // those that the API measures
  TextMap<PodPointer> starting_;      // of late, and not measured yet; by key
  TextMap<Left> left_;                // by key
};

}  // namespace huygens::usage_sources
