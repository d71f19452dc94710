// One call of the Eviction API (policy/v1), and what its answer says. Codes as kube-apiserver 1.36 gives them:
//
//   201                    done, or would be (dry run)
//   404, 409               no such pod, or one of another UID: who was meant is gone
//   429                    a PodDisruptionBudget has nothing left; with Retry-After: nobody has looked at it yet
//   500 "more than one"    two budgets select the pod: nobody can evict it
//
// An eviction with a wrong UID spends the budget and evicts nobody (409; the budget is back after two minutes). So the
// UID goes along always, and a dry run with the same body, which spends nothing, comes first. Blocking; one thread per
// client.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "moves/life.h"
#include "net/client.h"

namespace huygens::rescheduler {

struct EvictionAnswer {
  moves::Answer answer = moves::Answer::kUnknown;
  int code = 0;      // 0: none came
  std::string text;  // for the operator
  std::optional<Duration> wait;
  std::string budget;  // of 429: the PodDisruptionBudget, if the answer names it
};

enum class DryRun : bool { kNo, kYes };
EvictionAnswer Evict(net::Client& client, std::string_view namespace_name, std::string_view name, std::string_view uid,
                     DryRun dry_run, Duration timeout);
// What the reply to an eviction says.
EvictionAnswer Judge(const StatusOr<net::HttpReply>& reply);
// Whether the pod of this UID is there, and not being deleted; nothing: nobody could say.
std::optional<bool> StandsStill(net::Client& client, std::string_view namespace_name, std::string_view name,
                                std::string_view uid, Duration timeout);

}  // namespace huygens::rescheduler
