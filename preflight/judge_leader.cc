#include "preflight/judge_leader.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "settings/scalar.h"

namespace huygens::preflight {

namespace {

constexpr AddTo Add{Group::kScheduler};
constexpr Duration kClocks = std::chrono::minutes(1);
constexpr std::string_view kNobody = "Its pods wait until an instance of kube-scheduler takes the Lease.";

// client-go's identity is HOST_UUID; in a pod the host is the pod.
std::string_view HostOf(std::string_view holder) { return holder.substr(0, holder.rfind('_')); }

}  // namespace

Findings JudgeLeader(const SchedulerConfiguration::LeaderElection& election, const StatusOr<wire::Lease>& lease,
                     Time now) {
  Findings findings;
  const std::string where = Concat("the Lease ", election.namespace_name, "/", election.name);
  const std::string look = Concat("kubectl -n ", election.namespace_name, " get lease ", election.name,
                                  " -o yaml   # and kube-scheduler's log");
  if (absl::IsNotFound(lease.status())) {
    Add(findings, Severity::kOk, Concat("nobody has led yet: there is no ", where.substr(4)),
        "So it is before kube-scheduler runs. Afterwards it means that it may not write the Lease, and that no pod is "
        "placed.");
  } else if (!lease.ok()) {
    Add(findings, Severity::kOk, Concat("who leads is not known: ", where, " was not read"),
        std::string(Message(lease.status())));
  } else if (lease->holder.empty()) {
    Add(findings, Severity::kWarning, Concat("nobody leads: ", where, " is free"), std::string(kNobody), look);
  } else if (const Duration silent = lease->renewed ? now - *lease->renewed : Duration::max();
             silent > std::chrono::seconds(lease->duration_seconds) + kClocks) {
    Add(findings, Severity::kWarning,
        Concat("nobody leads: ", HostOf(lease->holder), " holds ", where, " and ",
               lease->renewed ? Concat("renewed it last at ", FormatRfc3339(*lease->renewed)) : "never renewed it"),
        std::string(kNobody), look);
  } else {
    Add(findings, Severity::kOk, Concat(HostOf(lease->holder), " leads, by ", where));
  }
  return findings;
}

}  // namespace huygens::preflight
