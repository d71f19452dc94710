#include "agent/configuration.h"

#include "base/read_file.h"
#include "base/text.h"
#include "settings/commented_yaml.h"
#include "settings/scalar.h"
#include "settings/strict_yaml.h"
#include "settings/walk.h"

namespace huygens::agent {
namespace {

using settings::AnyText;
using settings::Flag;
using settings::Span;
using settings::Text;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::string_view kAgentKind = "AgentConfiguration";

std::string UrlOrNothing(std::string_view text) { return text.empty() ? "" : settings::HttpUrl(text); }
std::string NameOrNothing(std::string_view text) { return text.empty() ? "" : settings::ObjectName(text); }
std::string FullPath(std::string_view text) { return text.starts_with('/') ? "" : "must be a path that begins with /"; }

}  // namespace

void Describe(settings::Walk& walk, KubeletAccess& c) {
  walk.Value("url", Text(c.url, "URL", UrlOrNothing), "\"\" = https://HOST_IP:10250, HOST_IP being in the environment");
  walk.Value("serverName", Text(c.server_name, "name", NameOrNothing),
             "for which its certificate must be; \"\" = the node's name");
  walk.Value("caFile", Text(c.ca_file, "file", AnyText),
             "PEM: who may have signed it; \"\" = pki/kubelet.crt of directory, where kubelet signs its own, else the "
             "cluster's authority");
  walk.Value("tokenFile", Text(c.token_file, "file", AnyText), "\"\" = as towards the API server");
  walk.Value("insecureSkipTLSVerify", Flag(c.insecure_skip_tls_verify),
             "believe whoever answers there, and give him the token");
  walk.Value("directory", Text(c.directory, "folder", FullPath), "kubelet's root, with its state files and sockets");
  walk.Value("interval", Span(c.interval, milliseconds(500), hours(1)),
             "between looks where nothing has shown that it changed");
}

void Describe(settings::Walk& walk, PublishConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "keeps the NodeResourceTopology of this node");
  walk.Value("machineInterval", Span(c.machine_interval, milliseconds(500), hours(24)),
             "between readings of /sys: CPUs and huge pages change while a machine runs");
}

void Describe(settings::Walk& walk, PinConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "keeps containers on their CPUs, unless kubelet's cpuManagerPolicy is static");
  walk.Value("runtimeSocket", Text(c.runtime_socket, "file", FullPath), "of CRI; CRI-O's is /var/run/crio/crio.sock");
  walk.Value("nriSocket", Text(c.nri_socket, "file", AnyText),
             "pins before a container starts, where the runtime has it; \"\" = without");
  walk.Value("stateFile", Text(c.state_file, "file", FullPath), "who has which CPUs, on the node's disk");
  walk.Value("interval", Span(c.interval, milliseconds(200), hours(1)),
             "between two comparisons of all sets with the kernel's");
}

void Describe(settings::Walk& walk, AgentConfiguration& c) {
  walk.Value("apiVersion", settings::Exactly(settings::kApiVersion), "");
  walk.Value("kind", settings::Exactly(kAgentKind), "");
  walk.Value("nodeName", Text(c.node_name, "name", NameOrNothing), "\"\" = NODE_NAME of the environment");
  walk.Value("root", Text(c.root, "folder", FullPath), "the folder that holds sys/ and proc/ of the machine");
  walk.Value("adminAddress", Text(c.admin_address, "address", settings::ListenAddress),
             "/healthz /readyz /metrics, in plain HTTP");
  walk.Value("allowPlainHTTPAdmin", Flag(c.allow_plain_http_admin), "needed for adminAddress on anything but loopback");
  walk.Section("kubernetes", c.kubernetes, "The API server.");
  walk.Section("kubelet", c.kubelet, "The kubelet of this node: how it runs, and its pods.");
  walk.Section("publish", c.publish, "What the cluster is told of this node's zones.");
  walk.Section("pin", c.pin, "Containers on the CPUs of their zones.");
  walk.Section("devices", c.devices, "What the node has besides CPUs and memory, told to kubelet by device plug-ins.");
  walk.Section("log", c.log, "The log on standard error.");
}

std::vector<settings::FieldEntry> AgentFields() {
  AgentConfiguration defaults;
  return settings::FieldsOf([&](settings::Walk& walk) { Describe(walk, defaults); });
}

StatusOr<AgentConfiguration> ParseAgentConfiguration(std::string_view yaml, std::string_view file) {
  AgentConfiguration c;
  const auto check = [&](const settings::ReportFault& report) {
    if (!settings::IsLoopback(c.admin_address) && !c.allow_plain_http_admin)
      report("adminAddress", "is not loopback, and plain HTTP; allowPlainHTTPAdmin: true allows that");
    if (c.kubelet.url.starts_with("http://") && settings::IsPlainHttpToOthers(c.kubelet.url))
      report("kubelet.url", "must begin with https://, or the token would go there unencrypted");
    CheckDevices(c.devices, report);
  };
  HUYGENS_RETURN_IF_ERROR(settings::ReadStrictly(yaml, file,
                                                 {.kind = kAgentKind,
                                                  .describe = [&](settings::Walk& walk) { Describe(walk, c); },
                                                  .check = check,
                                                  .all_fields = AgentFields})
                              .status());
  return c;
}

StatusOr<AgentConfiguration> LoadAgentConfiguration(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, "configuration"));
  return ParseAgentConfiguration(text, path);
}

std::string AgentDefaultsYaml() {
  AgentConfiguration defaults;
  return Concat("# The configuration of `huygens-agent run --config FILE`: every field with its default.\n",
                settings::CommentedYaml([&](settings::Walk& walk) { Describe(walk, defaults); }));
}

}  // namespace huygens::agent
