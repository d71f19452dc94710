// The scheduler's side of the extender protocol (k8s.io/kube-scheduler/extender/v1): requests as kube-scheduler 1.36
// writes them with nodeCacheCapable: true, answers as it reads them. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::cli {

// {"Pod":..,"Nodes":null,"NodeNames":[..]}; `pod` is JSON already.
std::string FilterRequest(std::string_view pod, const std::vector<std::string>& nodes);
std::string BindRequestText(std::string_view name, std::string_view namespace_name, std::string_view uid,
                            std::string_view node);

struct FilterReply {
  std::vector<std::string> nodes;
  std::vector<std::pair<std::string, std::string>> refused;  // (node, reason), ordered by node
  std::string error;
};
StatusOr<FilterReply> DecodeFilterReply(std::string_view json);
StatusOr<std::vector<std::pair<std::string, int64_t>>> DecodePriorities(std::string_view json);
// The Error of a bind; empty = bound.
StatusOr<std::string> DecodeBindReply(std::string_view json);

}  // namespace huygens::cli
