// What the API server is asked about the policies that rules compile to. Blocking; one thread per client.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "rule_policies/compile.h"

namespace huygens::rule_keeping {

struct PolicyRound {
  // Why all could not be looked at: the API server does not answer, or has no such policies.
  Status status;
  bool unserved = false;                      // the latter
  std::map<std::string, std::string> faults;  // of single policies, by name
  std::vector<std::string> written;           // "created huygens-rules-pod", for the log
};

// Makes what is stored as `wanted` says: policies first, so that no binding is without one, and in turn when they go.
// Each call has `timeout`.
PolicyRound KeepPolicies(net::Client& client, const std::vector<rule_policies::Policy>& wanted, Duration timeout);

// Whether a stored object has the spec and the label that is wanted; what the API server adds besides does not count.
bool IsInStep(const rules::Tree& stored, const rules::Tree& wanted);

}  // namespace huygens::rule_keeping
