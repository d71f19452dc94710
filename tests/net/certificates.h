// Certificates for tests, made on the spot with OpenSSL and written to a folder that is removed at the end.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace huygens::net::testing {

struct FreeOpenSsl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};

struct Subject {
  std::string common_name;
  std::string alternative_names;  // "DNS:a.example,IP:127.0.0.1"
  int valid_from_days = -1;
  int valid_until_days = 30;
};

struct Issued {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class Authority {
 public:
  explicit Authority(const std::string& name) : key_(EVP_EC_gen("P-256")) {
    certificate_ = Make({name, "", -100, 100}, key_.get(), nullptr);
  }

  std::string Certificate() const {
    return Pem([&](BIO* to) { PEM_write_bio_X509(to, certificate_.get()); });
  }

  Issued Issue(const Subject& subject) const {
    const std::unique_ptr<EVP_PKEY, FreeOpenSsl> key(EVP_EC_gen("P-256"));
    const auto certificate = Make(subject, key.get(), certificate_.get());
    return {Pem([&](BIO* to) { PEM_write_bio_X509(to, certificate.get()); }),
            Pem([&](BIO* to) { PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr); })};
  }

 private:
  using X509Ptr = std::unique_ptr<X509, FreeOpenSsl>;

  template <typename Writer>
  static std::string Pem(Writer&& writer) {
    const std::unique_ptr<BIO, FreeOpenSsl> bio(BIO_new(BIO_s_mem()));
    writer(bio.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<size_t>(size)};
  }

  static void Extend(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  // Signed by this authority, or by itself when there is no issuer.
  X509Ptr Make(const Subject& subject, EVP_PKEY* key, X509* issuer) const {
    X509Ptr certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial_);
    constexpr long kDay = 86400;
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), subject.valid_from_days * kDay);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), subject.valid_until_days * kDay);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* const name = X509_get_subject_name(certificate.get());
    if (!subject.common_name.empty()) {
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(subject.common_name.c_str()), -1, -1, 0);
    }
    X509_set_issuer_name(certificate.get(), issuer == nullptr ? name : X509_get_subject_name(issuer));
    if (issuer == nullptr) Extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    if (!subject.alternative_names.empty()) {
      Extend(certificate.get(), NID_subject_alt_name, subject.alternative_names);
    }
    X509_sign(certificate.get(), key_.get(), EVP_sha256());
    return certificate;
  }

  mutable std::atomic<long> serial_ = 0;
  std::unique_ptr<EVP_PKEY, FreeOpenSsl> key_;
  X509Ptr certificate_;
};

}  // namespace huygens::net::testing
