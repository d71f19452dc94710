#include "rule_keeping/status_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/append.h"
#include "json/document.h"
#include "kube/api_call.h"
#include "kube/object_call.h"

namespace huygens::rule_keeping {

namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(10);
// Counts change with every pod: what is told is a few seconds old.
constexpr Duration kRest = std::chrono::seconds(5);

// The whole status, where the rule is still the one that was judged.
std::string PatchOf(const std::string& uid, const rules::RuleStatus& status) {
  std::string body = R"([{"op":"test","path":"/metadata/uid","value":)";
  AppendJsonString(body, uid);
  body += R"(},{"op":"add","path":"/status","value":)";
  JsonFieldWriter::Append(body, status);
  return body + "}]";
}

}  // namespace

void StatusReconciler::Look() {
  if (keys_ != nullptr) keys_->AddAfter("status", kRest);
}

void StatusReconciler::Reconcile(const std::string& /*key*/, Done done) {
  // Counts of some objects are no counts.
  if (!environment_.watched.complete()) return done({.again = std::chrono::seconds(1)});
  const Time now = environment_.clock.Now();
  const std::map<std::string, RuleCount> counts = environment_.watched.standings().CountByRule();
  auto writes = std::make_shared<std::vector<Write>>();
  for (rules::SchedulingRule rule : environment_.watched.rules()->rules()) {
    if (!kube::IsObjectName(rule.name)) continue;
    if (const auto written = written_.find(rule.uid); written != written_.end()) rule.status = written->second;
    const auto count = counts.find(rule.name);
    const rules::RuleStatus status = StatusOf(rule, count != counts.end() ? count->second : RuleCount(),
                                              environment_.policy_of(rule), environment_.errors.Of(rule.name), now);
    if (status == rule.status) continue;
    writes->push_back({rule.name, rule.uid, PatchOf(rule.uid, status), status});
  }
  WriteNext(writes, 0, done);
}

void StatusReconciler::WriteNext(const std::shared_ptr<std::vector<Write>>& writes, size_t next, const Done& done) {
  if (next == writes->size()) return done({});
  environment_.calls.Post([this, writes, next, done](net::Client& client, Duration longest) -> kube::CallPool::Then {
    const Write& write = (*writes)[next];
    const Status status = kube::CallForObject(client, "PATCH", Concat(rules::kRulesPath, "/", write.name, "/status"),
                                              write.body, std::min(longest, kCallTimeout), kube::PatchHeaders("json"))
                              .status();
    return [this, writes, next, done, status] {
      const Write& written = (*writes)[next];
      if (status.ok()) {
        written_[written.uid] = written.status;
      } else if (!absl::IsNotFound(status) && !absl::IsFailedPrecondition(status)) {  // gone, or another of this name
        return done({.status = Annotate(status, Concat("status of the rule ", written.name))});
      }
      WriteNext(writes, next + 1, done);
    };
  });
}

}  // namespace huygens::rule_keeping
