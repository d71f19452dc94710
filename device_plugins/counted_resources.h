// Extended resources that are only counted: no device stands behind them, the node's status.capacity says how many there
// are, and kubelet copies that to allocatable some seconds later. Which of them the agent wrote is remembered in an
// annotation of the node, so that those that are no longer configured are taken back. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::device_plugins {

// On the node: names with commas, ascending.
inline constexpr std::string_view kCountedAnnotation = "huygens.dev/counted-resources";

struct CountedResource {
  std::string name;
  int64_t count = 0;
};

// What matters of a Node.
struct NodeCapacity {
  std::string uid;
  std::optional<std::vector<std::pair<std::string, std::string>>> capacity;  // nothing: kubelet has not written it yet
  bool has_annotations = false;
  std::optional<std::string> counted;  // the annotation
};

StatusOr<NodeCapacity> DecodeNodeCapacity(std::string_view json);

// The JSON patch (RFC 6902) of nodes/NAME/status that makes a node have what is wanted; "" where it has it already, or
// cannot have it yet since it has no capacity. It fails as a whole if the node is another one by then. Names that a
// plug-in serves (`served`) are left alone.
std::string CountedPatch(const NodeCapacity& node, std::span<const CountedResource> wanted,
                         const std::set<std::string>& served);

// The names that device plug-ins have registered with kubelet, as the file kubelet_internal_checkpoint in its folder of
// plug-ins tells; an error if the text is none.
StatusOr<std::set<std::string>> ServedByPlugins(std::string_view checkpoint);

}  // namespace huygens::device_plugins
