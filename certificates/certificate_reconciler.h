// Keeps the certificates of `huygens webhook` by controller/certificate_keeper.h, where the configuration says so: on
// what the Secret and the webhook configurations say now, at each resync and whenever one of them comes near its end.
// The one key is the name of the Secret. The loop's thread.
#pragma once

#include <string>

#include "base/time.h"
#include "certificates/certificate_keeper.h"
#include "observe/log.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"

namespace huygens::certificates {

class CertificateReconciler final : public reconcile::Reconciler {
 public:
  // All outlive it.
  struct Environment {
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    observe::Log& log;
  };

  CertificateReconciler(CertificateKeeperOptions options, Environment environment)
      : options_(std::move(options)), environment_(environment) {}

  std::string_view name() const override { return "certificates"; }
  void Start(reconcile::WorkKeys& /*keys*/) override {}
  std::string NotReady() const override { return ""; }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit(options_.secret); }
  void Reconcile(const std::string& key, Done done) override;

 private:
  void Note(const CertificatesKept& kept) const;

  const CertificateKeeperOptions options_;
  const Environment environment_;
};

}  // namespace huygens::certificates
