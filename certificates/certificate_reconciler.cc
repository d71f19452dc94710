#include "certificates/certificate_reconciler.h"

#include <algorithm>
#include <utility>

namespace huygens::certificates {
namespace {

// Of the time that this instance is sure to lead, what one call may take: a look makes some four of them.
constexpr int kCallsOfALook = 4;

}  // namespace

void CertificateReconciler::Reconcile(const std::string& /*key*/, Done done) {
  environment_.calls.Post([this, options = options_, done = std::move(done), now = environment_.clock.Now()](
                              net::Client& client, Duration longest) mutable -> kube::CallPool::Then {
    options.call_timeout = std::min(options.call_timeout, longest / kCallsOfALook);
    return [this, done = std::move(done), now, kept = KeepCertificates(client, options, now)] {
      if (!kept.ok()) return done({.status = kept.status()});
      Note(*kept);
      done({.again = std::max(kept->look_again - now, Duration::zero())});
    };
  });
}

void CertificateReconciler::Note(const CertificatesKept& kept) const {
  for (const std::string& news : kept.news) {
    environment_.log.Info("certificates of huygens webhook",
                          {{"secret", Concat(options_.namespace_name, "/", options_.secret)}, {"what", news}});
  }
}

}  // namespace huygens::certificates
