// The TLS handshake of a connection, and whom it lets in.
#include <algorithm>

#include "net/event_loop_impl.h"
#include "net/session.h"
#include "net/x509.h"

namespace huygens::net {

void Session::Handshake() {
  SetDeadline(core_->options.handshake_timeout);
  ErrorCode ignored;
  if (!core_->options.tls.client_ca_file.empty()) {
    // Held by the TLS engine inside this session: no ownership here, or it would never end.
    stream_.tls().set_verify_callback(
        [this](bool verified, asio::ssl::verify_context& chain) {
          CheckClient(verified, chain.native_handle());
          return refused_client_.empty();
        },
        ignored);
  }
  stream_.tls().async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](const ErrorCode& error) {
    if (self->state_ == State::kClosed) return;
    if (!error) return self->WaitForRequest();
    // A probe that only connects is no fault; who does not like us says so before closing.
    const bool silent = error == asio::error::eof || error == asio::error::connection_reset ||
                        error == asio::ssl::error::stream_truncated;
    if (silent) return self->Cut();
    const std::string reason = !self->refused_client_.empty() ? self->refused_client_ : error.message();
    self->ReportHandshake(Concat("TLS handshake refused: ", reason));
    self->Cut();
  });
}

void Session::CheckClient(bool verified, X509_STORE_CTX* chain) {
  if (!verified) {
    refused_client_ = Concat("client certificate: ", X509_verify_cert_error_string(X509_STORE_CTX_get_error(chain)));
    return;
  }
  if (X509_STORE_CTX_get_error_depth(chain) != 0) return;
  const std::vector<std::string> names = NamesOf(X509_STORE_CTX_get_current_cert(chain));
  const std::vector<std::string>& allowed = core_->options.tls.allowed_clients;
  for (const std::string& name : names) {
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) continue;
    client_name_ = name;
    return;
  }
  if (allowed.empty()) return;
  std::string listed;
  for (const std::string& name : names) listed += Concat(listed.empty() ? "" : ", ", name);
  refused_client_ = Concat("client certificate with the names [", listed, "] is not among the allowed clients");
  X509_STORE_CTX_set_error(chain, X509_V_ERR_CERT_REJECTED);  // its alert says "bad certificate"
}

void Session::ReportHandshake(std::string_view reason) const {
  Report(reason);
  const auto& on_failed = core_->options.observers.on_handshake_failed;
  if (on_failed) on_failed(Concat(peer_, ": ", reason));
}

}  // namespace huygens::net
