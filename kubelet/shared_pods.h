// One Pod for all pods that ask the same, as those of a workload do. Decision thread only.
#pragma once

#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "kubelet/pod.h"

namespace huygens::kubelet {

class SharedPods {
 public:
  // The one that equals `pod`. Those that nobody has any more go when new ones come.
  std::shared_ptr<const Pod> Share(Pod pod);
  size_t size() const { return known_.size(); }

 private:
  using Shared = std::shared_ptr<const Pod>;
  static constexpr size_t kFewest = 64;

  struct Hash {
    using is_transparent = void;
    size_t operator()(const Pod& pod) const { return absl::Hash<Pod>()(pod); }
    size_t operator()(const Shared& pod) const { return (*this)(*pod); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Shared& known, const Pod& pod) const { return *known == pod; }
    bool operator()(const Shared& known, const Shared& pod) const { return *known == *pod; }
  };

  absl::flat_hash_set<Shared, Hash, Equal> known_;
  size_t tidy_at_ = kFewest;  // how many there may be until those that nobody has any more are dropped
};

}  // namespace huygens::kubelet
