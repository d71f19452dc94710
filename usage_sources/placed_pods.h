// The pods that hold capacity in the cluster, for a source that must know of a pod what its metrics do not tell:
// owner, node, when it started. State keeps it up to date like any account (cluster/account.h), on the decision thread;
// a source asks it from its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "base/text.h"
#include "cluster/account.h"

namespace huygens::usage_sources {

using PodPointer = std::shared_ptr<const cluster::Pod>;

class PlacedPods final : public cluster::Account {
 public:
  enum class Which : uint8_t {
    kAll,
    kOwnerNotInName  // only those of whose workload the name gives a wrong idea (usage::GuessWorkload)
  };
  explicit PlacedPods(Which which) : which_(which) {}

  void Place(const cluster::PlacedPod& placed) override;
  void Leave(const cluster::PlacedPod& placed) override;
  void NodeChanged(cluster::NodeIndex, const cluster::NodeTopology*) override {}
  bool Recount(cluster::NodeIndex, std::span<const cluster::PlacedPod* const>) override { return false; }

  // Said once all pods of the cluster have been listed.
  void SetComplete() { complete_ = true; }
  bool complete() const { return complete_; }

  // By "NAMESPACE/NAME"; null if there is none. One that is only reserved names no node yet.
  PodPointer Find(std::string_view key) const;
  // Both are by key, for kAll only, and to be asked often: what nobody takes stays.
  // Those that have a start time and were placed or changed since the last call.
  TextMap<PodPointer> TakeStarted();
  // Those that left since the last call and did not come back; of several of one name the first. A pod created under
  // that name since may be there already.
  TextMap<PodPointer> TakeLeft();

 private:
  const Which which_;
  std::atomic<bool> complete_ = false;
  mutable std::mutex mutex_;  // guards what follows
  TextMap<PodPointer> pods_;
  TextMap<PodPointer> started_;
  TextMap<PodPointer> left_;
};

}  // namespace huygens::usage_sources
