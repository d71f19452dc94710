#include "cli/extender_client_json.h"

#include <algorithm>

#include "json/append.h"
#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::cli {

std::string FilterRequest(std::string_view pod, const std::vector<std::string>& nodes) {
  std::string out = Concat("{\"Pod\":", pod, ",\"Nodes\":null,\"NodeNames\":[");
  for (const std::string& node : nodes) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, node);
  }
  return out += "]}";
}

std::string BindRequestText(std::string_view name, std::string_view namespace_name, std::string_view uid,
                            std::string_view node) {
  std::string out = "{";
  AppendJsonField(out, "PodName", name);
  AppendJsonField(out, "PodNamespace", namespace_name);
  AppendJsonField(out, "PodUID", uid);
  AppendJsonField(out, "Node", node);
  return out += '}';
}

StatusOr<FilterReply> DecodeFilterReply(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(FilterReply reply, DecodeObject<FilterReply>(json, [](JsonReader& in, FilterReply& out) {
                             return in.Members([&](const JsonKey& key) {
                               if (key.Is("NodeNames"))
                                 return in.Elements([&](size_t) { return in.Read(out.nodes.emplace_back()); });
                               if (key.Is("FailedNodes") || key.Is("FailedAndUnresolvableNodes"))
                                 return wire::ReadTextMap(in, out.refused);
                               return key.Is("Error") ? in.Read(out.error) : absl::OkStatus();
                             });
                           }));
  std::sort(reply.refused.begin(), reply.refused.end());
  return reply;
}

StatusOr<std::vector<std::pair<std::string, int64_t>>> DecodePriorities(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  std::vector<std::pair<std::string, int64_t>> priorities;
  Status status = ReadList(in, priorities, [&](std::pair<std::string, int64_t>& priority) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("Host")) return in.Read(priority.first);
      return key.Is("Score") ? in.Read(priority.second) : absl::OkStatus();
    });
  });
  if (!status.ok()) return WithPlace(status);
  return priorities;
}

StatusOr<std::string> DecodeBindReply(std::string_view json) {
  return DecodeObject<std::string>(json, [](JsonReader& in, std::string& error) {
    return in.Members([&](const JsonKey& key) { return key.Is("Error") ? in.Read(error) : absl::OkStatus(); });
  });
}

}  // namespace huygens::cli
