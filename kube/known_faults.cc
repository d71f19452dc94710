#include "kube/known_faults.h"

namespace huygens::kube {

bool KnownFaults::IsNews(std::string_view object, std::string_view fault) {
  if (fault.empty()) {
    faults_.erase(object);
    return false;
  }
  Fault& known = faults_[object];
  known.list = list_;
  if (known.text == fault) return false;
  known.text = fault;
  return true;
}

std::vector<std::string> KnownFaults::ListEnd() {
  std::vector<std::string> gone;
  absl::erase_if(faults_, [&](const auto& entry) {
    if (entry.second.list == list_) return false;
    gone.push_back(entry.first);
    return true;
  });
  return gone;
}

}  // namespace huygens::kube
