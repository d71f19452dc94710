#include "topology/kubelet_pods.h"

#include <algorithm>
#include <utility>

namespace huygens::topology {

std::shared_ptr<const KubeletPod> KubeletPods::Share(KubeletPod pod) {
  if (auto found = known_.find(pod); found != known_.end()) return *found;
  if (known_.size() >= tidy_at_) {
    absl::erase_if(known_, [](const Shared& each) { return each.use_count() == 1; });
    tidy_at_ = std::max(kFewest, 2 * known_.size());
  }
  return *known_.insert(std::make_shared<const KubeletPod>(std::move(pod))).first;
}

}  // namespace huygens::topology
