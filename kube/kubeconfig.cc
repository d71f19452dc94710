#include "kube/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/escaping.h"
#include "base/read_file.h"

namespace huygens::kube {
namespace {

// One named entry of `clusters`, `users` or `contexts`, or the way to its fields. Values are never quoted in messages.
class Section {
 public:
  Section(const YAML::Node& node, std::string place, std::filesystem::path folder)
      : node_(node), place_(std::move(place)), folder_(std::move(folder)) {}

  bool Has(const char* key) const {
    const YAML::Node value = node_[key];
    return value.IsDefined() && !value.IsNull();
  }

  Status Text(const char* key, std::string& out) const {
    if (!Has(key)) return absl::OkStatus();
    if (!node_[key].IsScalar()) return Invalid(Concat(place_, ": ", key, " must be text"));
    out = node_[key].Scalar();
    return absl::OkStatus();
  }

  Status File(const char* key, std::string& out) const {
    std::string path;
    HUYGENS_RETURN_IF_ERROR(Text(key, path));
    if (!path.empty()) out = (folder_ / path).lexically_normal().string();  // an absolute path stays as it is
    return absl::OkStatus();
  }

  Status Base64(const char* key, std::string& out) const {
    std::string encoded;
    HUYGENS_RETURN_IF_ERROR(Text(key, encoded));
    if (encoded.empty()) return absl::OkStatus();
    if (!absl::Base64Unescape(encoded, &out)) return Invalid(Concat(place_, ": ", key, " is not base64"));
    return absl::OkStatus();
  }

  Status Bool(const char* key, bool& out) const {
    std::string text;
    HUYGENS_RETURN_IF_ERROR(Text(key, text));
    if (text.empty()) return absl::OkStatus();
    if (text != "true" && text != "false") return Invalid(Concat(place_, ": ", key, " must be true or false"));
    out = text == "true";
    return absl::OkStatus();
  }

  const std::string& place() const { return place_; }

 private:
  YAML::Node node_;
  std::string place_;
  std::filesystem::path folder_;
};

// The entry `name` of the list `list`, whose fields are under `field`.
StatusOr<Section> FindEntry(const YAML::Node& root, const char* list, const char* field, const std::string& name,
                            const std::string& path) {
  const YAML::Node entries = root[list];
  if (entries.IsDefined() && !entries.IsNull() && !entries.IsSequence()) {
    return Invalid(Concat(path, ": ", list, " must be a list"));
  }
  if (entries.IsDefined() && entries.IsSequence()) {
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap() || !entry["name"] || !entry["name"].IsScalar() || entry["name"].Scalar() != name) continue;
      YAML::Node fields = entry[field];
      if (!fields.IsDefined() || fields.IsNull()) fields = YAML::Node(YAML::NodeType::Map);
      const std::string place = Concat(path, ": ", field, " \"", name, "\"");
      if (!fields.IsMap()) return Invalid(Concat(place, " must be a map"));
      return Section(fields, place, std::filesystem::absolute(path).parent_path());
    }
  }
  return NotFound(Concat(path, ": ", list, " has no entry \"", name, "\""));
}

Status ReadCluster(const Section& cluster, net::ClientOptions& out) {
  HUYGENS_RETURN_IF_ERROR(cluster.Text("server", out.base_url));
  if (out.base_url.empty()) return Invalid(Concat(cluster.place(), " has no server"));
  HUYGENS_RETURN_IF_ERROR(cluster.File("certificate-authority", out.ca_file));
  HUYGENS_RETURN_IF_ERROR(cluster.Base64("certificate-authority-data", out.ca_data));
  HUYGENS_RETURN_IF_ERROR(cluster.Text("tls-server-name", out.server_name));
  HUYGENS_RETURN_IF_ERROR(cluster.Bool("insecure-skip-tls-verify", out.insecure_skip_tls_verify));
  if (cluster.Has("proxy-url")) {
    return Invalid(Concat(cluster.place(), ": proxy-url is not supported: reach the API server directly"));
  }
  if (out.insecure_skip_tls_verify && (!out.ca_file.empty() || !out.ca_data.empty())) {
    return Invalid(
        Concat(cluster.place(), ": a certificate-authority and insecure-skip-tls-verify contradict each other"));
  }
  return absl::OkStatus();
}

Status ReadUser(const Section& user, net::ClientOptions& out) {
  constexpr std::string_view kInstead =
      "use a token, a tokenFile or a client certificate (for example of a service account)";
  if (user.Has("exec")) {
    return Invalid(
        Concat(user.place(), ": exec plug-ins are not supported, as huygens starts no programs: ", kInstead));
  }
  if (user.Has("auth-provider")) {
    return Invalid(Concat(user.place(), ": auth-provider plug-ins are not supported: ", kInstead));
  }
  if (user.Has("username") || user.Has("password")) {
    return Invalid(Concat(
        user.place(), ": username and password are not supported, nor are they by API servers since 1.19: ", kInstead));
  }
  if (user.Has("as") || user.Has("as-groups") || user.Has("as-uid") || user.Has("as-user-extra")) {
    return Invalid(Concat(user.place(), ": impersonation is not supported: ", kInstead));
  }
  HUYGENS_RETURN_IF_ERROR(user.Text("token", out.bearer_token));
  HUYGENS_RETURN_IF_ERROR(user.File("tokenFile", out.bearer_token_file));
  HUYGENS_RETURN_IF_ERROR(user.File("client-certificate", out.cert_file));
  HUYGENS_RETURN_IF_ERROR(user.Base64("client-certificate-data", out.cert_data));
  HUYGENS_RETURN_IF_ERROR(user.File("client-key", out.key_file));
  HUYGENS_RETURN_IF_ERROR(user.Base64("client-key-data", out.key_data));
  const bool certificate = !out.cert_file.empty() || !out.cert_data.empty();
  const bool key = !out.key_file.empty() || !out.key_data.empty();
  if (certificate != key) {
    return Invalid(Concat(user.place(), certificate ? " has a client-certificate without a client-key"
                                                    : " has a client-key without a client-certificate"));
  }
  return absl::OkStatus();
}

// A missing file is better named here than by the first connection.
Status CheckFiles(const net::ClientOptions& options, std::string_view place) {
  for (const std::string* file :
       {&options.ca_file, &options.cert_file, &options.key_file, &options.bearer_token_file}) {
    std::error_code error;
    if (!file->empty() && !std::filesystem::exists(*file, error)) {
      return NotFound(Concat(place, ": file ", *file, " does not exist"));
    }
  }
  return absl::OkStatus();
}

StatusOr<net::ClientOptions> Read(const YAML::Node& root, const std::string& path, std::string_view wanted) {
  if (!root.IsMap()) return Invalid(Concat(path, ": not a kubeconfig"));
  std::string context_name(wanted);
  if (context_name.empty() && root["current-context"].IsDefined() && root["current-context"].IsScalar()) {
    context_name = root["current-context"].Scalar();
  }
  if (context_name.empty()) return Invalid(Concat(path, ": no current-context, and no other context was asked for"));
  HUYGENS_ASSIGN_OR_RETURN(const Section context, FindEntry(root, "contexts", "context", context_name, path));
  std::string cluster_name, user_name;
  HUYGENS_RETURN_IF_ERROR(context.Text("cluster", cluster_name));
  HUYGENS_RETURN_IF_ERROR(context.Text("user", user_name));

  net::ClientOptions options;
  HUYGENS_ASSIGN_OR_RETURN(const Section cluster, FindEntry(root, "clusters", "cluster", cluster_name, path));
  HUYGENS_RETURN_IF_ERROR(ReadCluster(cluster, options));
  if (!user_name.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(const Section user, FindEntry(root, "users", "user", user_name, path));
    HUYGENS_RETURN_IF_ERROR(ReadUser(user, options));
  }
  HUYGENS_RETURN_IF_ERROR(CheckFiles(options, path));
  return options;
}

}  // namespace

StatusOr<net::ClientOptions> LoadKubeconfig(const std::string& path, std::string_view context) {
  const auto text = ReadFile(path, "kubeconfig");
  if (!text.ok()) return NotFound(Message(text.status()));
  try {
    return Read(YAML::Load(*text), path, context);
  } catch (const YAML::ParserException& fault) {
    return Invalid(
        Concat(path, ":", std::to_string(fault.mark.line + 1), ": not YAML"));  // its text may quote a secret
  } catch (const YAML::Exception&) {
    return Invalid(Concat(path, ": cannot be read as a kubeconfig"));
  }
}

std::string ProcessEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return value == nullptr ? std::string() : std::string(value);
}

StatusOr<net::ClientOptions> InCluster(const Environment& environment, std::string_view directory) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return NotFound(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; configure a kubeconfig");
  }
  const bool v6 = host.find(':') != std::string::npos;
  net::ClientOptions options;
  options.base_url = Concat("https://", v6 ? "[" : "", host, v6 ? "]" : "", ":", port);
  options.bearer_token_file = Concat(directory, "/token");
  options.ca_file = Concat(directory, "/ca.crt");
  HUYGENS_RETURN_IF_ERROR(CheckFiles(options, "in-cluster service account (automountServiceAccountToken?)"));
  return options;
}

}  // namespace huygens::kube
