// How long the certificates between kube-scheduler, huygens and the API server still hold. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/certificates.h"
#include "preflight/finding.h"

namespace huygens::preflight {

struct CertificatesAt {
  std::string what;      // "certificate of huygens' server"
  std::string where;     // file or address
  std::string when_bad;  // what happens once it does not hold
  std::string renew;     // how to get another
  StatusOr<std::vector<net::Certificate>> read;
  bool authorities = false;                  // one that holds is enough
  bool elsewhere = false;                    // the file may lie on another machine: that it cannot be read says nothing
  std::vector<std::string> allowed_clients;  // not empty: it must name one of these
};

Findings JudgeCertificates(const std::vector<CertificatesAt>& certificates, Time now);

}  // namespace huygens::preflight
