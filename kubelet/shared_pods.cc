#include "kubelet/shared_pods.h"

#include <algorithm>
#include <utility>

namespace huygens::kubelet {

std::shared_ptr<const Pod> SharedPods::Share(Pod pod) {
  if (auto found = known_.find(pod); found != known_.end()) return *found;
  if (known_.size() >= tidy_at_) {
    absl::erase_if(known_, [](const Shared& each) { return each.use_count() == 1; });
    tidy_at_ = std::max(kFewest, 2 * known_.size());
  }
  return *known_.insert(std::make_shared<const Pod>(std::move(pod))).first;
}

}  // namespace huygens::kubelet
