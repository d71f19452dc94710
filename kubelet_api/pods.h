// The pods of this node as kubelet knows them, GET /pods: finished ones until they are deleted, refused ones as Failed
// long before the API server hears of it. Only what tells which containers hold something, and what was written on the
// pod. Plain values; pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::kubelet_api {

enum class ContainerKind : uint8_t { kInit, kSidecar, kApp };

struct Container {
  std::string name;
  ContainerKind kind = ContainerKind::kApp;
  // Of requests and limits; empty where there is none.
  std::string cpu_request, cpu_limit;
  friend bool operator==(const Container&, const Container&) = default;
};

struct Pod {
  std::string uid, namespace_name, name;
  bool terminal = false;  // Succeeded or Failed: holds nothing any more
  bool deleting = false;
  bool guaranteed = false;                                       // status.qosClass
  std::vector<Container> containers;                             // init containers first, in the order of the spec
  std::vector<std::pair<std::string, std::string>> annotations;  // by key; huygens.dev/ and topology.crane.io/ alone
  friend bool operator==(const Pod&, const Pod&) = default;

  // Empty text where it has none.
  std::string_view Annotation(std::string_view key) const;
};

// Of the body of the answer, by UID. A pod without UID, which kubelet never has, is left out.
StatusOr<std::vector<Pod>> DecodePods(std::string_view json);

}  // namespace huygens::kubelet_api
