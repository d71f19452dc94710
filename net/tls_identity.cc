#include "net/tls_identity.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

namespace huygens::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using CertificatePtr = std::unique_ptr<X509, FreeX509>;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

StatusOr<std::string> ReadFile(const std::string& path, std::string_view what) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  if (in) out << in.rdbuf();
  if (!in || in.bad() || out.fail()) {
    const int error = errno;
    const std::string reason = error != 0 ? std::generic_category().message(error) : "empty or unreadable";
    return Invalid(Concat("cannot read ", what, " file ", path, ": ", reason));
  }
  return std::move(out).str();
}

Status Unusable(std::string_view what, const std::string& path, std::string_view reason) {
  return Invalid(Concat(what, " file ", path, " is not usable: ", reason));
}

// PEM errors of OpenSSL are its module names; say what the operator sees in the file.
std::string Readable(const error_code& error) {
  std::string text = error.message();
  if (text.find("no start line") != std::string::npos || text.find("PEM lib") != std::string::npos)
    return "no PEM block of the expected kind in it";
  return text;
}

StatusOr<Time> NotAfter(SSL_CTX* context, const std::string& path) {
  std::tm fields{};
  X509* const certificate = SSL_CTX_get0_certificate(context);
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &fields) != 1) {
    return Unusable("certificate", path, "its end of validity cannot be read");
  }
  return Time(std::chrono::seconds(::timegm(&fields)));
}

Status TrustClientAuthorities(SSL_CTX* context, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string pem, ReadFile(path, "client CA"));
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  size_t count = 0;
  while (const CertificatePtr authority{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
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
  HUYGENS_ASSIGN_OR_RETURN(const std::string chain, ReadFile(options.cert_file, "certificate"));
  HUYGENS_ASSIGN_OR_RETURN(const std::string key, ReadFile(options.key_file, "key"));
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
  return TlsIdentity{std::move(context), not_after};
}

TlsStamps StampsOf(const TlsOptions& options) {
  return {StampOf(options.cert_file), StampOf(options.key_file), StampOf(options.client_ca_file)};
}

std::vector<std::string> CertificateNames(X509* certificate) {
  std::vector<std::string> names;
  const auto append = [&names](const ASN1_STRING* text) {
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<size_t>(ASN1_STRING_length(text)));
  };
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) append(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  auto* const alternatives =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(alternatives, i);
    if (name->type == GEN_DNS) append(name->d.dNSName);
  }
  GENERAL_NAMES_free(alternatives);
  return names;
}

}  // namespace huygens::net
