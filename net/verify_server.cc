#include "net/verify_server.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <vector>

#include "net/x509.h"

namespace huygens::net {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>>;
using ContextPtr = std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>>;

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};
using StackPtr = std::unique_ptr<STACK_OF(X509), FreeStack>;

Status Unbelieved(std::string_view why) { return absl::UnauthenticatedError(ToAbsl(why)); }

std::vector<CertificatePtr> ReadAll(std::string_view pem) {
  const BioPtr bio = ReadFrom(pem);
  std::vector<CertificatePtr> all;
  while (CertificatePtr each = NextCertificate(bio.get())) all.push_back(std::move(each));
  ERR_clear_error();  // how reading ends
  return all;
}

// Names of the subject count for nothing, as in Go.
bool Expect(X509_VERIFY_PARAM* rules, const std::string& host) {
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1 ||
         X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) == 1;
}

std::string Explain(X509_STORE_CTX* context, const std::string& host) {
  const int error = X509_STORE_CTX_get_error(context);
  const bool own = X509_STORE_CTX_get_error_depth(context) == 0;
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return Concat("the certificate is not for ", host);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return own ? "the certificate has expired" : "the certificate's authority has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return own ? "the certificate is not valid yet" : "the certificate's authority is not valid yet";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "the certificate is signed by another authority";
    default:
      return Concat("the certificate is not accepted: ", X509_verify_cert_error_string(error));
  }
}

}  // namespace

Status VerifyServer(std::string_view shown, std::string_view trusted, const std::string& host, Time now) {
  const std::vector<CertificatePtr> chain = ReadAll(shown), authorities = ReadAll(trusted);
  if (chain.empty()) return Unbelieved("the certificate cannot be read");
  const StorePtr store(X509_STORE_new());
  const ContextPtr context(X509_STORE_CTX_new());
  const StackPtr others(sk_X509_new_null());
  if (!store || !context || !others) return Internal("OpenSSL cannot verify certificates");
  for (const CertificatePtr& each : authorities) X509_STORE_add_cert(store.get(), each.get());
  for (const CertificatePtr& each : chain) sk_X509_push(others.get(), each.get());
  X509* const own = chain.front().get();
  if (X509_STORE_CTX_init(context.get(), store.get(), own, others.get()) != 1) {
    return Internal("OpenSSL cannot verify certificates");
  }
  X509_VERIFY_PARAM* const rules = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  X509_VERIFY_PARAM_set_time(rules, static_cast<std::time_t>(seconds));
  if (!Expect(rules, host)) return Unbelieved(Concat("the certificate is not for ", host));
  const bool verified = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  return verified ? absl::OkStatus() : Unbelieved(Explain(context.get(), host));
}

}  // namespace huygens::net
