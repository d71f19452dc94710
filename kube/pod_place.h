// Where the API server says a pod is, compared with where a bind wanted it. For the files of kube/ only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "kube/binder.h"

namespace huygens::kube {

struct PodPlace {
  std::string uid;
  std::string node;
  std::vector<std::pair<std::string, std::string>> annotations;
};

StatusOr<PodPlace> DecodePodPlace(std::string_view json);

// kBound if UID, node and every annotation of the request are there; else what is there instead.
BindOutcome JudgePlace(const PodPlace& place, const BindRequest& request);

}  // namespace huygens::kube
