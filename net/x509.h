// OpenSSL's certificates with owners, and what is read of them. For the files of net/ only.
#pragma once

#include <openssl/bio.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::net {

template <auto kFree>
struct FreeWith {
  template <typename Object>
  void operator()(Object* object) const {
    kFree(object);
  }
};
using CertificatePtr = std::unique_ptr<X509, FreeWith<X509_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;

// Reads from `pem`, which must outlive it.
BioPtr ReadFrom(std::string_view pem);
// The next certificate in PEM form; null at the end, or where a block is broken: OpenSSL's last error says which.
CertificatePtr NextCertificate(BIO* pem);

StatusOr<Time> TimeOf(const ASN1_TIME* time);
// The common name, then the DNS names of the subject; those that are there.
std::vector<std::string> NamesOf(const X509* certificate);

}  // namespace huygens::net
