// What a server shows to and demands from its clients: certificate, key, client authorities, loaded from PEM files into
// an OpenSSL context. For the files of net/ only.
#pragma once

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "net/file_stamp.h"
#include "net/server.h"

namespace huygens::net {

struct TlsIdentity {
  std::shared_ptr<boost::asio::ssl::context> context;
  Time not_after{};   // of the server certificate
  std::string chain;  // what is shown to clients, as PEM
};

// Errors name the file at fault. An expired certificate is no error here.
StatusOr<TlsIdentity> LoadTlsIdentity(const TlsOptions& options);

using TlsStamps = std::array<FileStamp, 3>;
TlsStamps StampsOf(const TlsOptions& options);

}  // namespace huygens::net
