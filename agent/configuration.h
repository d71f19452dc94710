// The settings of `huygens-agent run`: `kind: AgentConfiguration`, field for field as in the YAML, with the defaults. A
// plain value; docs/agent.md says what each field means. Each part of the agent has a section of its own.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device_configuration.h"
#include "base/status.h"
#include "base/time.h"
#include "settings/configuration.h"
#include "settings/paths.h"

namespace huygens::settings {
class Walk;
}

namespace huygens::agent {

struct KubeletAccess {
  std::string url;                             // empty: https://HOST_IP:10250, by that variable of the environment
  std::string server_name;                     // in its certificate; empty: the node's name
  std::string ca_file;                         // empty: the authority that signed the certificate, then kubelet's own
  std::string token_file;                      // empty: the token by which the API server is asked
  bool insecure_skip_tls_verify = false;       // believes whoever answers
  std::string directory = "/var/lib/kubelet";  // its root
  Duration interval = std::chrono::seconds(15);
};

struct PublishConfiguration {
  bool enabled = true;
  Duration machine_interval = std::chrono::seconds(60);
};

struct PinConfiguration {
  bool enabled = true;
  std::string runtime_socket = "/run/containerd/containerd.sock";
  std::string nri_socket = "/var/run/nri/nri.sock";  // empty: without NRI
  std::string state_file = "/var/lib/huygens/crane_cpu_manager_state";
  Duration interval = std::chrono::seconds(5);
};

struct AgentConfiguration {
  std::string node_name;  // empty: NODE_NAME of the environment
  std::string root = "/";
  std::string admin_address = "127.0.0.1:8891";
  bool allow_plain_http_admin = false;
  settings::KubernetesConfiguration kubernetes;
  KubeletAccess kubelet;
  PublishConfiguration publish;
  PinConfiguration pin;
  DevicesConfiguration devices;
  settings::LogConfiguration log;
};

// Found by settings::Walk.
void Describe(settings::Walk& walk, AgentConfiguration& configuration);

// As settings::ReadStrictly: every fault at once, with line and column.
StatusOr<AgentConfiguration> ParseAgentConfiguration(std::string_view yaml, std::string_view file);
// Reads at most 1 MiB. NotFound or PermissionDenied if the file cannot be read.
StatusOr<AgentConfiguration> LoadAgentConfiguration(const std::string& path);
// Every field with its default and a comment.
std::string AgentDefaultsYaml();
// Every field by its path, in the order of the file.
std::vector<settings::FieldEntry> AgentFields();

}  // namespace huygens::agent
