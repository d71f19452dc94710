#include "preflight/scheduler_configuration.h"

#include "json/reader.h"

namespace huygens::preflight {
namespace {

Status ReadPresence(JsonReader& in, bool& out) {
  std::string data;
  HUYGENS_RETURN_IF_ERROR(in.Read(data));
  out = !data.empty();
  return absl::OkStatus();
}

Status ReadTls(JsonReader& in, SchedulerExtender::Tls& out) {
  const auto presence = [&](bool& data) { return [&] { return ReadPresence(in, data); }; };
  const auto cert_data = presence(out.cert_data), key_data = presence(out.key_data), ca_data = presence(out.ca_data);
  return in.Fields("insecure", out.insecure, "serverName", out.server_name, "certFile", out.cert_file, "keyFile",
                   out.key_file, "caFile", out.ca_file, "certData", cert_data, "keyData", key_data, "caData", ca_data);
}

Status ReadTimeout(JsonReader& in, SchedulerExtender& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  if (text.empty()) return absl::OkStatus();
  HUYGENS_ASSIGN_OR_RETURN(const Duration timeout, ParseDuration(text));
  if (timeout > Duration::zero()) out.http_timeout = timeout;  // 0 is the default
  return absl::OkStatus();
}

Status ReadExtender(JsonReader& in, SchedulerExtender& out) {
  const auto count = [&](size_t) {
    ++out.managed_resources;
    return absl::OkStatus();
  };
  return in.Fields(
      "urlPrefix", out.url_prefix, "filterVerb", out.filter_verb, "prioritizeVerb", out.prioritize_verb, "preemptVerb",
      out.preempt_verb, "bindVerb", out.bind_verb, "weight", out.weight, "enableHTTPS", out.enable_https,
      "nodeCacheCapable", out.node_cache_capable, "ignorable", out.ignorable, "tlsConfig",
      [&] { return ReadTls(in, out.tls); }, "managedResources", [&] { return in.Elements(count); }, "httpTimeout",
      [&] { return ReadTimeout(in, out); });
}

Status ReadPercentage(JsonReader& in, std::optional<int64_t>& out) {
  if (in.SkipNull()) return absl::OkStatus();
  return in.Read(out.emplace());
}

// An empty name is the default.
Status ReadName(JsonReader& in, std::string& out) {
  std::string name;
  HUYGENS_RETURN_IF_ERROR(in.Read(name));
  if (!name.empty()) out = std::move(name);
  return absl::OkStatus();
}

Status ReadLeaderElection(JsonReader& in, SchedulerConfiguration::LeaderElection& out) {
  return in.Fields(
      "leaderElect", out.leader_elect, "resourceNamespace", [&] { return ReadName(in, out.namespace_name); },
      "resourceName", [&] { return ReadName(in, out.name); });
}

}  // namespace

StatusOr<SchedulerConfiguration> DecodeSchedulerConfiguration(std::string_view json) {
  return DecodeObject<SchedulerConfiguration>(json, [](JsonReader& in, SchedulerConfiguration& out) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("kind")) return in.Read(out.kind);
      if (key.Is("percentageOfNodesToScore")) return ReadPercentage(in, out.percentage_of_nodes_to_score);
      if (key.Is("leaderElection")) return ReadLeaderElection(in, out.leader_election);
      if (key.Is("extenders")) {
        return ReadList(in, out.extenders, [&](SchedulerExtender& extender) { return ReadExtender(in, extender); });
      }
      if (!key.Is("profiles")) return absl::OkStatus();
      return ReadList(in, out.profiles, [&](std::optional<int64_t>& percentage) {
        return in.Fields("percentageOfNodesToScore", [&] { return ReadPercentage(in, percentage); });
      });
    });
  });
}

}  // namespace huygens::preflight
