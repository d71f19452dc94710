// Asks the kubelet of this node. Blocking; one thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"

namespace huygens::kubelet_api {

struct ClientOptions {
  std::string url;          // https://10.0.0.5:10250
  std::string server_name;  // for which its certificate must be: the node's name, whatever the address
  // PEM. Without `ca_file` the certificate may lead to what kubelet signed for itself, own_certificate_file, or to
  // cluster_ca_file or cluster_ca_data.
  std::string ca_file;
  std::string own_certificate_file, cluster_ca_file, cluster_ca_data;
  bool insecure_skip_tls_verify = false;
  // Who asks: a token, or a client certificate, as net::ClientOptions has them.
  net::ClientOptions credentials;
};

class Client {
 public:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}

  // The body of an answer of 200. PermissionDenied names the missing rule, Unauthenticated whose certificate or token is
  // not accepted; other errors are those of net::Client. Certificates are read anew after an error.
  StatusOr<std::string> Get(std::string_view path, Duration timeout);
  // As net::Client::Cancel: ends what is under way, and all later calls. Any thread.
  void Cancel();

 private:
  Status Open();

  const ClientOptions options_;
  std::mutex mutex_;  // guards the pointer, not the client
  std::shared_ptr<net::Client> client_;
  bool cancelled_ = false;
};

}  // namespace huygens::kubelet_api
