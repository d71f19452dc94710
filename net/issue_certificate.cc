#include "net/issue_certificate.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "net/x509.h"

namespace huygens::net {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

Status Failed(std::string_view what) {
  ERR_clear_error();  // its texts are of no use to an operator
  return Internal(Concat("OpenSSL cannot ", what));
}

template <typename Writer>
StatusOr<std::string> ToPem(Writer&& write) {
  const BioPtr to(BIO_new(BIO_s_mem()));
  if (!to || write(to.get()) != 1) return Failed("write PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(to.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

StatusOr<CertifiedKey> ToPem(X509* certificate, EVP_PKEY* key) {
  CertifiedKey pem;
  HUYGENS_ASSIGN_OR_RETURN(pem.certificate, ToPem([&](BIO* to) { return PEM_write_bio_X509(to, certificate); }));
  HUYGENS_ASSIGN_OR_RETURN(pem.key, ToPem([&](BIO* to) {
                             return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
                           }));
  return pem;
}

CertificatePtr FirstOf(std::string_view pem) {
  const BioPtr bio = ReadFrom(pem);
  CertificatePtr first = NextCertificate(bio.get());
  ERR_clear_error();
  return first;
}

// Without this an encrypted key would be a question on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

KeyPtr ReadKey(std::string_view pem) {
  const BioPtr bio = ReadFrom(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  return key;
}

bool SetTimes(X509* certificate, const Validity& validity) {
  const auto seconds = [](Time time) {
    return static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(validity.not_before)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(validity.not_after)) != nullptr;
}

// Of two certificates of one issuer the numbers differ, though nobody keeps count.
bool SetSerialNumber(X509* certificate) {
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(BN_new());
  return number && BN_rand(number.get(), 159, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool Extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSubject(X509* certificate, std::string_view common_name) {
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common_name.data()),
                                    static_cast<int>(common_name.size()), -1, 0) == 1;
}

// All but name, issuer, extensions and signature.
CertificatePtr Begin(EVP_PKEY* key, const Validity& validity) {
  CertificatePtr certificate(X509_new());
  if (!certificate || !key || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !SetSerialNumber(certificate.get()) || !SetTimes(certificate.get(), validity) ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return nullptr;
  }
  return certificate;
}

// A name of DNS, so that none can add fields to the extension.
bool IsDnsName(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), fits);
}

StatusOr<std::string> AlternativeNames(std::span<const std::string> dns_names) {
  if (dns_names.empty()) return Invalid("a server's certificate needs a name");
  std::string value;
  for (const std::string& name : dns_names) {
    if (!IsDnsName(name)) return Invalid(Concat("\"", name, "\" is no name that a server can have"));
    value += Concat(value.empty() ? "" : ",", "DNS:", name);
  }
  return value;
}

}  // namespace

StatusOr<CertifiedKey> IssueAuthority(std::string_view common_name, const Validity& validity) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = Begin(key.get(), validity);
  X509* const made = certificate.get();
  if (!made || !SetSubject(made, common_name) || X509_set_issuer_name(made, X509_get_subject_name(made)) != 1 ||
      !Extend(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !Extend(made, made, NID_key_usage, "critical,keyCertSign") ||
      !Extend(made, made, NID_subject_key_identifier, "hash") || X509_sign(made, key.get(), EVP_sha256()) == 0) {
    return Failed("make an authority");
  }
  return ToPem(made, key.get());
}

StatusOr<CertifiedKey> IssueServerCertificate(const CertifiedKey& authority, std::span<const std::string> dns_names,
                                              const Validity& validity) {
  const CertificatePtr issuer = FirstOf(authority.certificate);
  const KeyPtr signing_key = ReadKey(authority.key);
  if (!issuer || !KeyFits(authority.certificate, authority.key)) {
    return Invalid("the authority's certificate and key cannot be read or do not belong together");
  }
  HUYGENS_ASSIGN_OR_RETURN(const std::string names, AlternativeNames(dns_names));
  HUYGENS_ASSIGN_OR_RETURN(const Time last, TimeOf(X509_get0_notAfter(issuer.get())));
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = Begin(key.get(), {validity.not_before, std::min(validity.not_after, last)});
  X509* const made = certificate.get();
  // A common name has 64 characters at most, and clients go by the alternative names.
  if (!made || !SetSubject(made, std::string_view(dns_names.front()).substr(0, 64)) ||
      X509_set_issuer_name(made, X509_get_subject_name(issuer.get())) != 1 ||
      !Extend(made, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !Extend(made, issuer.get(), NID_key_usage, "critical,digitalSignature") ||
      !Extend(made, issuer.get(), NID_ext_key_usage, "serverAuth") ||
      !Extend(made, issuer.get(), NID_authority_key_identifier, "keyid") ||
      !Extend(made, issuer.get(), NID_subject_alt_name, names) ||
      X509_sign(made, signing_key.get(), EVP_sha256()) == 0) {
    return Failed("make a server's certificate");
  }
  return ToPem(made, key.get());
}

std::vector<std::string> SplitCertificates(std::string_view pem) {
  std::vector<std::string> certificates;
  const BioPtr bio = ReadFrom(pem);
  while (const CertificatePtr each = NextCertificate(bio.get())) {
    auto written = ToPem([&](BIO* to) { return PEM_write_bio_X509(to, each.get()); });
    if (written.ok()) certificates.push_back(*std::move(written));
  }
  ERR_clear_error();  // how reading ends
  return certificates;
}

bool KeyFits(std::string_view certificate, std::string_view key) {
  const CertificatePtr read = FirstOf(certificate);
  const KeyPtr private_key = ReadKey(key);
  const bool fits = read && private_key && X509_check_private_key(read.get(), private_key.get()) == 1;
  ERR_clear_error();
  return fits;
}

bool IsSignedBy(std::string_view certificate, std::string_view authority) {
  const CertificatePtr read = FirstOf(certificate);
  const CertificatePtr issuer = FirstOf(authority);
  const bool is = read && issuer && X509_check_ca(issuer.get()) == 1 &&
                  X509_check_issued(issuer.get(), read.get()) == X509_V_OK &&
                  X509_verify(read.get(), X509_get0_pubkey(issuer.get())) == 1;
  ERR_clear_error();
  return is;
}

}  // namespace huygens::net
