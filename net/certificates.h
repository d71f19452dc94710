// How long certificates are valid and whom they name: of PEM text, and of a server as its clients see it. No private
// key is read. Errors hold no secret. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"

namespace huygens::net {

struct Certificate {
  std::vector<std::string> names;  // common name, then DNS names
  Time not_before, not_after;
};

// Of each certificate in it, in order; other blocks are passed over. Fails if there is none.
StatusOr<std::vector<Certificate>> ReadCertificates(std::string_view pem);
// NotFound or PermissionDenied if the file cannot be read.
StatusOr<std::vector<Certificate>> ReadCertificateFile(const std::string& path);

// What the server shows to anybody, verified or not; the server's own first. Empty for plain HTTP. Blocking.
StatusOr<std::vector<Certificate>> CertificatesOfServer(const ClientOptions& server, Duration timeout);

}  // namespace huygens::net
