// Any bytes as the body of filter, prioritize, preempt and bind. The answers have the fields of the requests, so what
// was decoded is written as an answer, read again as a request, and must be the same.
#include <numeric>

#include "extender/extender_answer.h"
#include "extender/extender_args.h"
#include "json/reader.h"
#include "tests/fuzz/require.h"
#include "wire/node.h"
#include "wire/pod.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckNames(const std::vector<std::string_view>& node_names) {
  std::string answer;
  extender::AppendFilterNames(answer, node_names, {}, {});
  StatusOr<extender::ExtenderArgs> again = extender::DecodeExtenderArgs(answer);
  Require(again.ok(), "an answer of names is well-formed");
  Require(again->node_names.value_or(std::vector<std::string_view>()) == node_names, "names come back as they came");

  std::vector<int64_t> scores;
  for (std::string_view name : node_names) scores.push_back(static_cast<int64_t>(name.size()));
  answer.clear();
  extender::AppendHostPriorities(answer, node_names, scores);
  Require(JsonReader::Open(answer).ok(), "priorities are well-formed");
}

void CheckNodes(const extender::NodeList& nodes) {
  std::vector<uint32_t> all(nodes.items.size());
  std::iota(all.begin(), all.end(), 0u);
  std::string answer;
  extender::AppendFilterNodes(answer, nodes, all, {}, {});
  StatusOr<extender::ExtenderArgs> again = extender::DecodeExtenderArgs(answer);
  Require(again.ok() && again->nodes.has_value(), "an answer of nodes is well-formed");
  Require(again->nodes->items.size() == all.size(), "no node is lost");
  for (size_t i = 0; i < all.size(); ++i) {
    Require(again->nodes->items[i].json == nodes.items[i].json, "nodes come back byte for byte");
    Require(again->nodes->items[i].name == nodes.items[i].name, "nodes keep their names");
  }
  answer.clear();
  extender::AppendFilterNodes(answer, nodes, {}, {}, {});
  Require(extender::DecodeExtenderArgs(answer).ok(), "an answer without nodes is well-formed");
}

// A body that begins with a space is never read the quick way.
void CheckQuickWay(std::string_view body, const StatusOr<extender::ExtenderArgs>& args) {
  const std::string spaced = Concat(" ", body);
  StatusOr<extender::ExtenderArgs> slow = extender::DecodeExtenderArgs(spaced);
  Require(slow.ok() == args.ok(), "both ways take the same bodies");
  if (!slow.ok()) return;
  Require(slow->pod == args->pod && slow->node_names == args->node_names, "both ways read the same");
  Require(slow->node_names_json == args->node_names_json, "both ways find the same array");
}

void CheckFilter(std::string_view body) {
  StatusOr<extender::ExtenderArgs> args = extender::DecodeExtenderArgs(body);
  CheckQuickWay(body, args);
  if (!args.ok()) {
    std::string answer;
    extender::AppendFilterError(answer, Message(args.status()));
    Require(JsonReader::Open(answer).ok(), "an error is well-formed");
    return;
  }
  ResourceNames names;
  if (!args->pod.empty()) (void)wire::DecodePod(args->pod, names);
  if (args->node_names) CheckNames(*args->node_names);
  if (!args->nodes) return;
  for (const extender::RequestNode& node : args->nodes->items) (void)wire::DecodeNode(node.json, names);
  CheckNodes(*args->nodes);
}

void CheckPreempt(std::string_view body) {
  StatusOr<extender::PreemptArgs> args = extender::DecodePreemptArgs(body);
  if (!args.ok()) return;
  std::string answer;
  extender::AppendPreemptVictims(answer, args->nodes);
  StatusOr<extender::PreemptArgs> again = extender::DecodePreemptArgs(answer);
  Require(again.ok() && again->nodes.size() == args->nodes.size(), "victims of every node come back");
  for (size_t i = 0; i < args->nodes.size(); ++i) {
    const extender::NodeVictims& before = args->nodes[i];
    const extender::NodeVictims& after = again->nodes[i];
    Require(before.node == after.node && before.pdb_violations == after.pdb_violations,
            "a node's victims keep their node");
    Require(before.pods.size() == after.pods.size(), "no victim is lost");
    for (size_t k = 0; k < before.pods.size(); ++k)
      Require(before.pods[k].uid == after.pods[k].uid, "victims keep their UID");
  }
}

void CheckBind(std::string_view body) {
  StatusOr<extender::BindArgs> args = extender::DecodeBindArgs(body);
  std::string answer;
  extender::AppendBindResult(answer, args.ok() ? std::string_view(args->node) : Message(args.status()));
  Require(JsonReader::Open(answer).ok(), "the result of a bind is well-formed");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view body(reinterpret_cast<const char*>(data), size);
  huygens::CheckFilter(body);
  huygens::CheckPreempt(body);
  huygens::CheckBind(body);
  return 0;
}
