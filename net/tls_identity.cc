#include "net/tls_identity.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <cstring>

#include "base/read_file.h"
#include "net/x509.h"

namespace huygens::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Status Unusable(std::string_view what, const std::string& path, std::string_view reason) {
  return Invalid(Concat(what, " file ", path, " is not usable: ", reason));
}

StatusOr<std::string> ReadPem(const std::string& path, std::string_view what) {
  auto pem = ReadFile(path, Concat(what, " file"));
  if (!pem.ok()) return Invalid(Message(pem.status()));
  if (pem->empty()) return Unusable(what, path, "it is empty");
  return pem;
}

// PEM errors of OpenSSL are its module names; say what the operator sees in the file.
std::string Readable(const error_code& error) {
  std::string text = error.message();
  if (text.find("no start line") != std::string::npos || text.find("PEM lib") != std::string::npos)
    return "no PEM block of the expected kind in it";
  return text;
}

StatusOr<Time> NotAfter(SSL_CTX* context, const std::string& path) {
  X509* const certificate = SSL_CTX_get0_certificate(context);
  if (certificate != nullptr) {
    if (const auto not_after = TimeOf(X509_get0_notAfter(certificate)); not_after.ok()) return not_after;
  }
  return Unusable("certificate", path, "its end of validity cannot be read");
}

Status TrustClientAuthorities(SSL_CTX* context, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string pem, ReadPem(path, "client CA"));
  const BioPtr bio = ReadFrom(pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  size_t count = 0;
  while (const CertificatePtr authority = NextCertificate(bio.get())) {
    if (X509_STORE_add_cert(store, authority.get()) != 1 || SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return Unusable("client CA", path, "a certificate in it cannot be trusted");
    }
    ++count;
  }
  const bool clean_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count == 0) return Unusable("client CA", path, "no PEM certificate in it");
  if (!clean_end) return Unusable("client CA", path, "a PEM block in it is malformed");
  // As in Go, every certificate in the file is an anchor, an intermediate one, too.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

// kube-scheduler offers "h2, http/1.1". Who speaks something else alone is told so by the alert.
int SelectHttp11(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                 void*) {
  static constexpr std::string_view kHttp11 = "http/1.1";
  for (unsigned at = 0; at < in_size; at += in[at] + 1U) {
    const unsigned size = in[at];
    if (at + 1 + size > in_size) break;
    if (size == kHttp11.size() && std::memcmp(in + at + 1, kHttp11.data(), size) == 0) {
      *out = in + at + 1;
      *out_size = static_cast<unsigned char>(size);
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

StatusOr<TlsIdentity> LoadTlsIdentity(const TlsOptions& options) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string chain, ReadPem(options.cert_file, "certificate"));
  HUYGENS_ASSIGN_OR_RETURN(const std::string key, ReadPem(options.key_file, "key"));
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // No resumption: Go's client does not ask for it, and a resumed session would skip the check of the client's
  // certificate.
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_alpn_select_cb(native, SelectHttp11, nullptr);

  error_code error;
  // An encrypted key must be an error, not a question on the terminal.
  context->set_password_callback([](size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain(boost::asio::buffer(chain), error);
  if (error) return Unusable("certificate", options.cert_file, Readable(error));
  context->use_private_key(boost::asio::buffer(key), ssl::context::pem, error);
  if (error) {
    ERR_clear_error();
    // OpenSSL refuses a key of another certificate here already, or in the check below, depending on the kinds of both.
    const bool mismatch = error.message().find("mismatch") != std::string::npos;
    const bool encrypted = key.find("ENCRYPTED") != std::string::npos;
    if (encrypted) return Unusable("key", options.key_file, "it is encrypted, which is not supported");
    if (!mismatch) return Unusable("key", options.key_file, Readable(error));
  }
  if (error || SSL_CTX_check_private_key(native) != 1) {
    ERR_clear_error();
    return Unusable("key", options.key_file, Concat("it does not belong to the certificate in ", options.cert_file));
  }
  if (!options.client_ca_file.empty()) {
    HUYGENS_RETURN_IF_ERROR(TrustClientAuthorities(native, options.client_ca_file));
  }
  HUYGENS_ASSIGN_OR_RETURN(const Time not_after, NotAfter(native, options.cert_file));
  return TlsIdentity{std::move(context), not_after, chain};
}

TlsStamps StampsOf(const TlsOptions& options) {
  return {StampOf(options.cert_file), StampOf(options.key_file), StampOf(options.client_ca_file)};
}

}  // namespace huygens::net
