#include "wire/scheduler_configuration.h"

#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadPresence(JsonReader& in, bool& out) {
  std::string data;
  HUYGENS_RETURN_IF_ERROR(in.Read(data));
  out = !data.empty();
  return absl::OkStatus();
}

Status ReadTls(JsonReader& in, SchedulerExtender::Tls& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("insecure")) return in.Read(out.insecure);
    if (key.Is("serverName")) return in.Read(out.server_name);
    if (key.Is("certFile")) return in.Read(out.cert_file);
    if (key.Is("keyFile")) return in.Read(out.key_file);
    if (key.Is("caFile")) return in.Read(out.ca_file);
    if (key.Is("certData")) return ReadPresence(in, out.cert_data);
    if (key.Is("keyData")) return ReadPresence(in, out.key_data);
    if (key.Is("caData")) return ReadPresence(in, out.ca_data);
    return absl::OkStatus();
  });
}

Status ReadExtender(JsonReader& in, SchedulerExtender& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("urlPrefix")) return in.Read(out.url_prefix);
    if (key.Is("filterVerb")) return in.Read(out.filter_verb);
    if (key.Is("prioritizeVerb")) return in.Read(out.prioritize_verb);
    if (key.Is("preemptVerb")) return in.Read(out.preempt_verb);
    if (key.Is("bindVerb")) return in.Read(out.bind_verb);
    if (key.Is("weight")) return in.Read(out.weight);
    if (key.Is("enableHTTPS")) return in.Read(out.enable_https);
    if (key.Is("nodeCacheCapable")) return in.Read(out.node_cache_capable);
    if (key.Is("ignorable")) return in.Read(out.ignorable);
    if (key.Is("tlsConfig")) return ReadTls(in, out.tls);
    if (key.Is("managedResources")) {
      return in.Elements([&](size_t) {
        ++out.managed_resources;
        return absl::OkStatus();
      });
    }
    if (!key.Is("httpTimeout")) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (text.empty()) return absl::OkStatus();
    HUYGENS_ASSIGN_OR_RETURN(const Duration timeout, ParseDuration(text));
    if (timeout > Duration::zero()) out.http_timeout = timeout;  // 0 is the default
    return absl::OkStatus();
  });
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
  return in.Members([&](const JsonKey& key) {
    if (key.Is("leaderElect")) return in.Read(out.leader_elect);
    if (key.Is("resourceNamespace")) return ReadName(in, out.namespace_name);
    if (key.Is("resourceName")) return ReadName(in, out.name);
    return absl::OkStatus();
  });
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

}  // namespace huygens::wire
