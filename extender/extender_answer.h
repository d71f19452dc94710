// Answers to kube-scheduler, appended to a string that the caller owns and reuses. Field names, their order and nulls
// are those of Go's encoder on k8s.io/kube-scheduler/extender/v1; scores are whole numbers, since Go refuses any other
// for an int64. Cannot fail. Safe on any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "extender/extender_args.h"

namespace huygens::extender {

// A node and the text that kube-scheduler groups by: "2 node(s) had ...".
struct RejectedNode {
  std::string_view node;
  std::string_view reason;
};

// Whether node names stand in the request letter by letter, their quotes around them (ExtenderArgs::node_names_json is
// not empty): then they are copied with their quotes, a third of the cost of looking for what to escape. Names of other
// origin are kPlain.
enum class NameText : uint8_t { kPlain, kVerbatim };

// `failed`: a victim could cure it; `unresolvable`: nothing can. Node names must not repeat within a list.
// For a request that came with names (nodeCacheCapable: true):
void AppendFilterNames(std::string& out, std::span<const std::string_view> feasible,
                       std::span<const RejectedNode> failed, std::span<const RejectedNode> unresolvable,
                       NameText text = NameText::kPlain);
// The same where every name of the request is feasible: its array of names goes back as it came.
void AppendFilterAllNames(std::string& out, std::string_view node_names_json);
// For a request that came with objects: `feasible` are positions in nodes.items, which are returned as the bytes they
// came in.
void AppendFilterNodes(std::string& out, const NodeList& nodes, std::span<const uint32_t> feasible,
                       std::span<const RejectedNode> failed, std::span<const RejectedNode> unresolvable);
void AppendFilterError(std::string& out, std::string_view error);

// One score for each name.
void AppendHostPriorities(std::string& out, std::span<const std::string_view> names, std::span<const int64_t> scores,
                          NameText text = NameText::kPlain);

// UIDs only, whichever form the request had. There is no place for an error in this answer.
void AppendPreemptVictims(std::string& out, std::span<const NodeVictims> nodes);

// An empty `error` is success.
void AppendBindResult(std::string& out, std::string_view error);

}  // namespace huygens::extender
