#include "net/x509.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>

namespace huygens::net {

BioPtr ReadFrom(std::string_view pem) { return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

CertificatePtr NextCertificate(BIO* pem) { return CertificatePtr(PEM_read_bio_X509(pem, nullptr, nullptr, nullptr)); }

StatusOr<Time> TimeOf(const ASN1_TIME* time) {
  std::tm fields{};
  if (ASN1_TIME_to_tm(time, &fields) != 1) return Invalid("a time in the certificate cannot be read");
  return Time(std::chrono::seconds(::timegm(&fields)));
}

std::vector<std::string> NamesOf(const X509* certificate) {
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
