#include "rule_keeping/repair_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/append.h"
#include "kube/api_call.h"
#include "kube/object_call.h"

namespace huygens::rule_keeping {

namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(10);

// The patch, which holds for the version that was judged: of another one the API server says that it conflicts.
std::string Guarded(const std::string& patch, const std::string& resource_version) {
  std::string out = R"([{"op":"replace","path":"/metadata/resourceVersion","value":)";
  AppendJsonString(out, resource_version);
  out += "},";
  out.append(patch, 1, std::string::npos);
  return out;
}

std::string PathOf(const KeptObject& object, bool status) {
  if (object.kind == "Node") return Concat("/api/v1/nodes/", object.name, status ? "/status" : "");
  return Concat("/api/v1/namespaces/", object.namespace_name, "/pods/", object.name);
}

}  // namespace

void RepairReconciler::Look() {
  if (keys_ != nullptr) keys_->Add("repair");
}

void RepairReconciler::Reconcile(const std::string& /*key*/, Done done) {
  const Standings& standings = environment_.watched.standings();
  const Duration now = environment_.monotonic();
  if (now < next_write_) return done({.again = next_write_ - now});  // each write has the watch tell of it, and so look
  const KeptObject* next = standings.NextToRepair(now);
  if (next == nullptr) {
    const std::optional<Duration> due = standings.NextDue();
    return done(due ? reconcile::Reconciled{.again = *due - now} : reconcile::Reconciled{});
  }
  if (!kube::IsObjectName(next->name)) {
    environment_.watched.standings().Remove(next->uid);
    return done({.again = Duration::zero()});
  }
  // The status of a node comes after the rest of it, of which a new version is judged first.
  const bool status = next->standing.patch.empty();
  const std::string& patch = status ? next->standing.status_patch : next->standing.patch;
  environment_.calls.Post([this, object = *next, path = PathOf(*next, status),
                           body = Guarded(patch, next->resource_version),
                           done = std::move(done)](net::Client& client, Duration longest) -> kube::CallPool::Then {
    const Status written =
        kube::CallForObject(client, "PATCH", path, body, std::min(longest, kCallTimeout), kube::PatchHeaders("json"))
            .status();
    return [this, object, written, done] { Ended(object, written, done); };
  });
}

void RepairReconciler::Ended(const KeptObject& object, const Status& status, const Done& done) {
  const auto pause = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(1 / std::max(environment_.writes_per_second, 0.1)));
  const Duration now = environment_.monotonic();
  next_write_ = now + pause;
  Standings& standings = environment_.watched.standings();
  if (status.ok()) {
    ++counts_.repaired;
    standings.Repaired(object.uid, object.resource_version, true, now);
    environment_.log.Info("an object is as its scheduling rules say again", {{"object", object.Title()}});
    if (standings.IsContended(object.uid)) {
      for (const rules::SchedulingRule* rule : object.standing.matched) {
        environment_.errors.Add(
            rule->name, Concat(object.Title(), ": somebody else takes back what the rule sets; left alone for 10m"),
            environment_.clock.Now());
      }
    }
    return done({.again = pause});
  }
  standings.Repaired(object.uid, object.resource_version, false, now);
  if (absl::IsAborted(status) || absl::IsNotFound(status)) {  // the watch brings what is there now
    ++counts_.conflicts;
    return done({.again = pause});
  }
  ++counts_.refused;
  for (const rules::SchedulingRule* rule : object.standing.matched) {
    environment_.errors.Add(rule->name, Concat(object.Title(), ": ", Message(status)), environment_.clock.Now());
  }
  if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
    environment_.log.Warn("an object cannot be made as its scheduling rules say",
                          {{"object", object.Title()}, {"why", Message(status)}, {"leftOut", *left_out}});
  }
  // Where nobody answers, every object would be tried in vain.
  const bool about_the_object = absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status);
  if (about_the_object) return done({.again = pause});
  done({.status = status});
}

}  // namespace huygens::rule_keeping
