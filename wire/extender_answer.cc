#include "wire/extender_answer.h"

#include "base/json_text.h"

namespace huygens::wire {
namespace {

void AppendReasons(std::string& out, std::span<const RejectedNode> rejected) {
  out += '{';
  bool first = true;
  for (const RejectedNode& node : rejected) {
    if (!first) out += ',';
    first = false;
    AppendJsonString(out, node.node);
    out += ':';
    AppendJsonString(out, node.reason);
  }
  out += '}';
}

void AppendRejected(std::string& out, std::span<const RejectedNode> failed,
                    std::span<const RejectedNode> unresolvable) {
  out += R"(,"FailedNodes":)";
  AppendReasons(out, failed);
  out += R"(,"FailedAndUnresolvableNodes":)";
  AppendReasons(out, unresolvable);
  out += R"(,"Error":""})";
}

}  // namespace

void AppendFilterNames(std::string& out, std::span<const std::string_view> feasible,
                       std::span<const RejectedNode> failed, std::span<const RejectedNode> unresolvable) {
  out += R"({"Nodes":null,"NodeNames":[)";
  bool first = true;
  for (std::string_view name : feasible) {
    if (!first) out += ',';
    first = false;
    AppendJsonString(out, name);
  }
  out += ']';
  AppendRejected(out, failed, unresolvable);
}

void AppendFilterNodes(std::string& out, const NodeList& nodes, std::span<const uint32_t> feasible,
                       std::span<const RejectedNode> failed, std::span<const RejectedNode> unresolvable) {
  out += R"({"Nodes":)";
  out += nodes.head;
  bool first = true;
  for (uint32_t position : feasible) {
    if (!first) out += ',';
    first = false;
    out += nodes.items[position].json;
  }
  out += nodes.tail;
  out += R"(,"NodeNames":null)";
  AppendRejected(out, failed, unresolvable);
}

void AppendFilterError(std::string& out, std::string_view error) {
  out += R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":null,"Error":)";
  AppendJsonString(out, error);
  out += '}';
}

void AppendHostPriorities(std::string& out, std::span<const HostPriority> priorities) {
  out += '[';
  bool first = true;
  for (const HostPriority& priority : priorities) {
    out += first ? R"({"Host":)" : R"(,{"Host":)";
    first = false;
    AppendJsonString(out, priority.host);
    out += R"(,"Score":)";
    AppendJsonInt(out, priority.score);
    out += '}';
  }
  out += ']';
}

void AppendPreemptVictims(std::string& out, std::span<const NodeVictims> nodes) {
  out += R"({"NodeNameToMetaVictims":{)";
  bool first_node = true;
  for (const NodeVictims& node : nodes) {
    if (!first_node) out += ',';
    first_node = false;
    AppendJsonString(out, node.node);
    out += R"(:{"Pods":[)";
    bool first = true;
    for (const Victim& victim : node.pods) {
      out += first ? R"({"UID":)" : R"(,{"UID":)";
      first = false;
      AppendJsonString(out, victim.uid);
      out += '}';
    }
    out += R"(],"NumPDBViolations":)";
    AppendJsonInt(out, node.pdb_violations);
    out += '}';
  }
  out += "}}";
}

void AppendBindResult(std::string& out, std::string_view error) {
  out += R"({"Error":)";
  AppendJsonString(out, error);
  out += '}';
}

}  // namespace huygens::wire
