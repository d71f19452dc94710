// Keeps the certificates of `huygens webhook` at the API server: the Secret that its pods mount, and what the webhook
// configurations say of whom to believe. Any number may do so at once: each write says what it has seen, and of two one
// is refused. Blocking; one thread per client.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "certificates/webhook_certificates.h"
#include "net/client.h"

namespace huygens::certificates {

struct CertificateKeeperOptions {
  CertificateRules rules;
  std::string namespace_name = "kube-system";
  std::string secret = "huygens-webhook-tls";
  std::vector<std::string> configurations = {"huygens-webhook"};  // one that is not there is passed over
  Duration call_timeout = std::chrono::seconds(5);
};

struct CertificatesKept {
  Time look_again;
  std::vector<std::string> news;  // what was done, for the log; empty: all was as it must be
};

// Looks once, and writes what is due. Aborted: somebody else was faster, look again at once. FailedPrecondition: there
// is a Secret of that name that huygens did not make, and it is left alone, or what is written is not taken. Other errors
// as those of kube/object_call.h: look again after a pause.
StatusOr<CertificatesKept> KeepCertificates(net::Client& client, const CertificateKeeperOptions& options, Time now);

}  // namespace huygens::certificates
