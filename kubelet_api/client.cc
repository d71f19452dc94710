#include "kubelet_api/client.h"

#include "base/read_file.h"
#include "base/text.h"

namespace huygens::kubelet_api {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // a thousand pods of the largest kind

// Empty where there is no such file: then it is not trusted.
std::string PemOf(const std::string& file) {
  if (file.empty()) return {};
  return ReadFile(file, "certificate").value_or("");
}

}  // namespace

Status Client::Open() {
  net::ClientOptions options = options_.credentials;
  options.base_url = options_.url;
  options.server_name = options_.insecure_skip_tls_verify ? "" : options_.server_name;
  options.insecure_skip_tls_verify = options_.insecure_skip_tls_verify;
  options.connect_timeout = std::chrono::seconds(2);
  options.max_reply_bytes = kMostBytes;
  options.ca_file = options_.ca_file;
  options.ca_data.clear();
  if (options_.url.starts_with("https://") && options_.ca_file.empty() && !options_.insecure_skip_tls_verify) {
    options.ca_data =
        Concat(PemOf(options_.own_certificate_file), "\n",
               options_.cluster_ca_data.empty() ? PemOf(options_.cluster_ca_file) : options_.cluster_ca_data);
    if (options.ca_data.size() <= 1)
      return absl::UnauthenticatedError(
          ToAbsl(Concat("no certificate is there to know kubelet by: neither ", options_.own_certificate_file,
                        " nor an authority of the cluster; kubelet.caFile names one")));
  }
  HUYGENS_ASSIGN_OR_RETURN(std::unique_ptr<net::Client> client, net::Client::Create(std::move(options)));
  const std::lock_guard lock(mutex_);
  client_ = std::move(client);
  if (cancelled_) client_->Cancel();
  return absl::OkStatus();
}

StatusOr<std::string> Client::Get(std::string_view path, Duration timeout) {
  if (client_ == nullptr) HUYGENS_RETURN_IF_ERROR(Open());
  StatusOr<net::HttpReply> reply = client_->Call("GET", path, "", {{"Accept", "application/json"}}, timeout);
  if (reply.ok() && reply->code == 200) return std::move(reply->body);
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) client_.reset();
  }
  if (!reply.ok()) return reply.status();
  const std::string answer =
      Concat("GET ", options_.url, path, ": HTTP ", std::to_string(reply->code), " ", CutText(reply->body, 200));
  if (reply->code == 401)
    return absl::UnauthenticatedError(ToAbsl(Concat(answer, ": kubelet does not accept the token")));
  if (reply->code == 403) {
    return absl::PermissionDeniedError(
        ToAbsl(Concat(answer,
                      ": the agent's account needs get on nodes/pods and nodes/configz (before Kubernetes 1.32 "
                      "on nodes/proxy)")));
  }
  return Unavailable(answer);
}

void Client::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (client_ != nullptr) client_->Cancel();
}

}  // namespace huygens::kubelet_api
