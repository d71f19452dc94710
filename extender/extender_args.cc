#include "extender/extender_args.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "json/plain_texts.h"
#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::extender {
namespace {

std::string_view Between(const char* begin, const char* end) { return {begin, static_cast<size_t>(end - begin)}; }

// An object as its text, and the field of its metadata that tells which one it is.
Status ReadIdentified(JsonReader& in, OwnedTexts& owned, std::string_view field, std::string_view& value,
                      std::string_view& json) {
  const char* begin = in.position();
  const auto read_value = [&] { return in.Read(value, owned); };
  HUYGENS_RETURN_IF_ERROR(in.Fields("metadata", [&] { return in.Fields(field, read_value); }));
  json = Between(begin, in.position());
  return absl::OkStatus();
}

// How many to make room for: the names come last in what kube-scheduler sends, so the rest of the body bounds their
// number, and growing by doubling costs as much as reading.
size_t LikelyNames(size_t rest_of_body) { return std::min<size_t>(rest_of_body / 16, 8192); }

Status ReadNodeNames(JsonReader& in, ExtenderArgs& args) {
  auto& out = args.node_names;
  out.reset();
  args.node_names_json = {};
  if (in.Next() == JsonType::kNull) return absl::OkStatus();
  std::vector<std::string_view>& names = out.emplace();
  names.reserve(LikelyNames(in.remaining()));
  const char* begin = in.position();
  HUYGENS_RETURN_IF_ERROR(in.Read(names, args.unescaped));
  std::string_view array = Between(begin, in.position());
  bool verbatim = std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return name.data() > array.data() && name.data() < array.data() + array.size();
  });
  if (verbatim) args.node_names_json = array;
  return absl::OkStatus();
}

Status ReadNodes(JsonReader& in, OwnedTexts& owned, std::optional<NodeList>& out) {
  out.reset();
  if (in.Next() == JsonType::kNull) return absl::OkStatus();
  const char* begin = in.position();
  const char* open = nullptr;
  const char* close = nullptr;
  NodeList& list = out.emplace();
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (!key.Is("items")) return absl::OkStatus();
    bool null = in.Next() == JsonType::kNull;
    open = null ? nullptr : in.position() + 1;
    HUYGENS_RETURN_IF_ERROR(ReadList(
        in, list.items, [&](RequestNode& node) { return ReadIdentified(in, owned, "name", node.name, node.json); }));
    close = null ? nullptr : in.position() - 1;
    return absl::OkStatus();
  }));
  list.head = open == nullptr ? R"({"metadata":{},"items":[)" : Between(begin, open);
  list.tail = open == nullptr ? "]}" : Between(close, in.position());
  return absl::OkStatus();
}

Status ReadVictim(JsonReader& in, OwnedTexts& owned, bool full, Victim& out) {
  if (full) return ReadIdentified(in, owned, "uid", out.uid, out.pod);
  return in.Fields("UID", [&] { return in.Read(out.uid, owned); });
}

// NodeNameToVictims (full pods) or NodeNameToMetaVictims. A node that occurs twice has what was said last.
Status ReadVictims(JsonReader& in, OwnedTexts& owned, bool full, std::optional<std::vector<NodeVictims>>& out) {
  out.reset();
  if (in.Next() == JsonType::kNull) return absl::OkStatus();
  out.emplace();
  absl::flat_hash_map<absl::string_view, size_t> positions;
  return in.Members([&](const JsonKey& node) {
    std::string_view name = node.escaped ? owned.Keep(std::string(node.text)) : node.text;
    auto [known, is_new] = positions.try_emplace(ToAbsl(name), out->size());
    if (is_new) out->emplace_back();
    NodeVictims& victims = (*out)[known->second];
    victims = {.node = name, .pods = {}, .pdb_violations = 0};
    return in.Members([&](const JsonKey& key) {
      if (key.Is("NumPDBViolations")) return in.Read(victims.pdb_violations);
      if (!key.Is("Pods")) return absl::OkStatus();
      return ReadList(in, victims.pods, [&](Victim& victim) { return ReadVictim(in, owned, full, victim); });
    });
  });
}

// What kube-scheduler sends where nodeCacheCapable is true, letter by letter, in one pass over the names instead of
// two: 5000 names take 31 us so, 64 otherwise. Nothing for any other body, whatever it is.
std::optional<ExtenderArgs> DecodeAsSent(std::string_view body) {
  constexpr std::string_view kBeforePod = R"({"Pod":)";
  constexpr std::string_view kBeforeNames = R"(,"Nodes":null,"NodeNames":)";
  if (!body.starts_with(kBeforePod)) return std::nullopt;
  ExtenderArgs args;
  args.pod = JsonReader::First(body.substr(kBeforePod.size()));
  if (!args.pod.starts_with('{') || !JsonReader::Check(args.pod, JsonReader::kMaxDepth - 1).ok()) return std::nullopt;
  std::string_view rest = body.substr(kBeforePod.size() + args.pod.size());
  if (!rest.starts_with(kBeforeNames)) return std::nullopt;
  rest.remove_prefix(kBeforeNames.size());
  std::vector<std::string_view>& names = args.node_names.emplace();
  names.reserve(LikelyNames(rest.size()));
  args.node_names_json = ReadPlainTexts(rest, names);
  if (args.node_names_json.empty() || rest.substr(args.node_names_json.size()) != "}") return std::nullopt;
  return args;
}

}  // namespace

StatusOr<ExtenderArgs> DecodeExtenderArgs(std::string_view body) {
  if (std::optional<ExtenderArgs> args = DecodeAsSent(body)) return *std::move(args);
  return DecodeObject<ExtenderArgs>(body, [&](JsonReader& in, ExtenderArgs& out) {
    return in.Fields(
        "Pod", [&] { return wire::ReadObjectText(in, out.pod); }, "NodeNames", [&] { return ReadNodeNames(in, out); },
        "Nodes", [&] { return ReadNodes(in, out.unescaped, out.nodes); });
  });
}

StatusOr<PreemptArgs> DecodePreemptArgs(std::string_view body) {
  return DecodeObject<PreemptArgs>(body, [&](JsonReader& in, PreemptArgs& out) {
    std::optional<std::vector<NodeVictims>> full, meta;
    HUYGENS_RETURN_IF_ERROR(in.Fields(
        "Pod", [&] { return wire::ReadObjectText(in, out.pod); }, "NodeNameToVictims",
        [&] { return ReadVictims(in, out.unescaped, true, full); }, "NodeNameToMetaVictims",
        [&] { return ReadVictims(in, out.unescaped, false, meta); }));
    if (meta)
      out.nodes = *std::move(meta);
    else if (full)
      out.nodes = *std::move(full);
    return absl::OkStatus();
  });
}

StatusOr<BindArgs> DecodeBindArgs(std::string_view body) {
  return DecodeObject<BindArgs>(body, [](JsonReader& in, BindArgs& out) {
    return in.Fields("PodName", out.pod_name, "PodNamespace", out.pod_namespace, "PodUID", out.pod_uid, "Node",
                     out.node);
  });
}

}  // namespace huygens::extender
