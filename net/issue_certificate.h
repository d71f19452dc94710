// Makes certificates: an authority of one's own and certificates of servers signed by it, as PEM, with keys on the curve
// P-256; and says what belongs together. For services that keep their own certificates where nobody else does. Nothing
// is written anywhere, and no message of an error holds a key. Blocking for less than a millisecond; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::net {

struct CertifiedKey {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8, not encrypted
};

struct Validity {
  Time not_before, not_after;  // whole seconds; parts of one are cut off
};

// Signs itself. Authorities that a server's clients trust at the same time must have different names: clients choose by
// name.
StatusOr<CertifiedKey> IssueAuthority(std::string_view common_name, const Validity& validity);

// Of a server that its clients call by `dns_names`, at least one. It does not outlive the authority.
StatusOr<CertifiedKey> IssueServerCertificate(const CertifiedKey& authority, std::span<const std::string> dns_names,
                                              const Validity& validity);

// The certificates in a PEM text, in order, each as a PEM text of its own and written in one way, so that equal ones are
// equal texts; other blocks are passed over. Empty if there is none; those behind a broken block are not found.
std::vector<std::string> SplitCertificates(std::string_view pem);

// Whether the key is that of the first certificate.
bool KeyFits(std::string_view certificate, std::string_view key);
// Whether `authority` is one, and signed `certificate`. Of each the first; says nothing about times.
bool IsSignedBy(std::string_view certificate, std::string_view authority);

}  // namespace huygens::net
