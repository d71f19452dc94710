// What must be written now so that API servers go on believing `huygens webhook`: an authority of its own and the
// servers' certificate, both in one Secret, and the authorities that the webhook configurations name (caBundle). Pure
// but for making keys; any thread.
//
// Servers read the Secret a minute or two after it was written, API servers a changed bundle within milliseconds. So an
// authority is replaced in two steps: first it is told beside the old one, and only when it has been told everywhere,
// for a while, it signs; the old one stays told until no server can have a certificate of it any more. The servers'
// certificate is renewed without all that. Where the authority or the certificate cannot be used at all, both are made
// anew at once: there is nothing to be kept going.
//
// Keys of the Secret: tls.crt, tls.key; ca.crt, ca.key; next-ca.crt, next-ca.key while an authority is told that does
// not sign yet; previous-ca.crt while one is told that signs no more. An empty one counts as absent.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "certificates/secret.h"

namespace huygens::certificates {

struct CertificateRules {
  std::vector<std::string> dns_names;  // by which API servers call: "huygens-webhook.kube-system.svc"
  Duration authority_lifetime = std::chrono::days(3650);
  Duration server_lifetime = std::chrono::days(365);
  Duration renew_authority = std::chrono::days(365);  // before its end; likewise the next
  Duration renew_server = std::chrono::days(90);
  Duration told_first = std::chrono::minutes(10);  // from when an authority is made until it may sign
  Duration overlap = std::chrono::days(1);         // so long one that signs no more is told
  Duration backdated = std::chrono::hours(1);      // validity begins earlier, for clocks that are behind
  Duration longest_rest = std::chrono::hours(12);  // between two looks, whatever the clock says
};

struct CertificatePlan {
  SecretData data;                // all of the Secret, and what of it is not ours untouched
  bool write = false;             // it is another than it was
  std::string ca_bundle;          // PEM, for every webhook; to be written after the Secret
  std::vector<std::string> news;  // what is done and why, for the log
  Time look_again;
};

// `told`: the bundles that the webhooks have now. Fails where OpenSSL does, or a name is none that a server can have.
StatusOr<CertificatePlan> PlanCertificates(const SecretData& secret, std::span<const std::string> told,
                                           const CertificateRules& rules, Time now);

}  // namespace huygens::certificates
