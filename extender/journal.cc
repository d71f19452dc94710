#include "extender/journal.h"

#include <array>

#include "json/append.h"
#include "policy/explained.h"

namespace huygens::extender {

namespace {

observe::ReasonTexts AllReasonTexts() {
  auto texts = std::make_shared<std::vector<std::string>>(std::size(policy::kReasons));
  for (policy::Reason reason : policy::kReasons) (*texts)[static_cast<size_t>(reason)] = policy::Explained(reason);
  return texts;
}

std::string ZonesJson(std::span<const cluster::ZoneShare> zones, const ResourceNames& resources) {
  if (zones.empty()) return "";
  std::string json = "[";
  for (const cluster::ZoneShare& zone : zones) {
    json += json.size() == 1 ? "{\"name\":" : ",{\"name\":";
    AppendJsonString(json, zone.name);
    for (const auto& [resource, amount] : zone.amount) {
      json += ',';
      AppendJsonString(json, resource == kCpu ? "cpuMilli" : resources.Name(resource));
      json += ':';
      AppendJsonInt(json, amount);
    }
    json += '}';
  }
  return json += ']';
}

// {"victims":{"NODE":["UID",...],...}}
std::string VictimsJson(std::span<const placement::PreemptionCandidate> candidates,
                        std::span<const placement::Preemption> decided) {
  std::string json = R"({"victims":{)";
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (decided[i].victims.empty()) continue;
    if (json.back() != '{') json += ',';
    AppendJsonString(json, candidates[i].node);
    json += ":[";
    for (std::string_view uid : decided[i].victims) {
      if (json.back() != '[') json += ',';
      AppendJsonString(json, uid);
    }
    json += ']';
  }
  return json += "}}";
}

}  // namespace

Journal::Journal(const placement::Placement& placement, const ResourceNames& resources, observe::Metrics& metrics,
                 observe::DecisionRing& ring, observe::DecisionLog& log)
    : placement_(placement),
      resources_(resources),
      metrics_(metrics),
      ring_(ring),
      log_(log),
      reasons_(AllReasonTexts()) {
  for (const placement::CheckSetting& check : placement.options().checks) {
    if (check.mode == policy::CheckMode::kEnforce) checks_.push_back(check.name);
  }
}

void Journal::Filter(const cluster::Pod& pod, std::span<const std::string_view> nodes,
                     const placement::FilterAnswer& answer, Time now) {
  if (answer.feasible.size() < answer.reasons.size()) CountRejected(answer.reasons);
  std::string key = pod.Key();
  observe::Decision decision{
      .time = now, .verb = "filter", .pod = key, .uid = pod.uid, .revision = placement_.revision()};
  decision.outcome = answer.feasible.empty() ? "rejected" : "ok";
  const std::string only_reported =
      answer.quota_report.empty() ? std::string() : Concat("would be refused: ", answer.quota_report);
  decision.quota = !answer.quota.empty() ? answer.quota : !answer.models.empty() ? answer.models : only_reported;
  decision.checks = checks_;
  std::vector<observe::ReportedCheck> reports;
  for (const placement::CheckReport& report : answer.reports) {
    CountRejected(report.reasons, true);
    reports.push_back({report.check, std::as_bytes(std::span(report.reasons))});
  }
  decision.reports = reports;
  decision.nodes = nodes;
  decision.reasons = std::as_bytes(std::span(answer.reasons));
  decision.narrowed = answer.narrowed;
  std::string facts;
  if (answer.feasible.empty() && !pod.scheduling_group.empty()) {
    facts = Concat("{\"gangHolds\":", std::to_string(placement_.HeldForGang(pod)),
                   ",\"gangPods\":", std::to_string(placement_.UnboundOfGang(pod)), "}");
  }
  decision.facts_json = facts;
  if (answer.narrowed) decision.kept = answer.feasible;
  Add(decision);
}

void Journal::Prioritize(const cluster::Pod& pod, std::span<const std::string_view> nodes,
                         std::span<const int64_t> scores, std::span<const placement::TermScores> terms, Time now) {
  std::string key = pod.Key();
  std::vector<observe::TermOpinion> opinions;
  for (const placement::TermScores& term : terms) opinions.push_back({term.name, term.weight, term.scores});
  observe::Decision decision{
      .time = now, .verb = "prioritize", .pod = key, .uid = pod.uid, .revision = placement_.revision()};
  decision.outcome = "ok";
  decision.nodes = nodes;
  decision.scores = scores;
  decision.max_score = placement_.options().max_score;
  decision.terms = opinions;
  Add(decision);
}

void Journal::Preempt(const cluster::Pod& pod, std::span<const placement::PreemptionCandidate> candidates,
                      std::span<const placement::Preemption> decided, Time now) {
  std::string key = pod.Key();
  std::vector<std::string_view> nodes;
  std::vector<policy::Reason> reasons;
  bool any = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    nodes.push_back(candidates[i].node);
    reasons.push_back(decided[i].reason);
    any = any || !decided[i].victims.empty();
  }
  std::string victims = VictimsJson(candidates, decided);
  observe::Decision decision{
      .time = now, .verb = "preempt", .pod = key, .uid = pod.uid, .revision = placement_.revision()};
  decision.outcome = any ? "ok" : "rejected";
  decision.nodes = nodes;
  decision.reasons = std::as_bytes(std::span(reasons));
  decision.facts_json = victims;
  Add(decision);
}

void Journal::Bind(const BindArgs& args, const placement::Reservation& made, std::string_view outcome,
                   std::string_view error, Time now) {
  std::string key = Concat(args.pod_namespace, "/", args.pod_name);
  std::string zones_json = ZonesJson(made.zones, resources_);
  observe::Decision decision{
      .time = now, .verb = "bind", .pod = key, .uid = args.pod_uid, .revision = placement_.revision()};
  decision.outcome = outcome;
  decision.error = error;
  decision.quota = made.quota;
  decision.node = args.node;
  decision.zones_json = zones_json;
  if (!made.Accepted()) CountRejected({&made.reason, 1});
  std::vector<observe::ReportedCheck> reports;
  for (const placement::NodeReport& report : made.reports) {
    CountRejected({&report.reason, 1}, true);
    reports.push_back({report.check, std::as_bytes(std::span(&report.reason, 1))});
  }
  decision.reports = reports;
  Add(decision);
}

void Journal::Add(const observe::Decision& decision) {
  auto record = std::make_shared<const observe::DecisionRecord>(decision, reasons_, last_.get());
  if (!decision.nodes.empty()) last_ = record;
  log_.Add(record);
  ring_.Add(std::move(record));
}

void Journal::CountRejected(std::span<const policy::Reason> reasons, bool only_reported) {
  std::array<uint64_t, 256> counts{};
  for (policy::Reason reason : reasons) ++counts[static_cast<size_t>(reason)];
  for (policy::Reason reason : policy::kReasons) {
    uint64_t count = counts[static_cast<size_t>(reason)];
    if (reason == policy::Reason::kFits || count == 0) continue;
    only_reported ? metrics_.NodeWouldBeRejected(policy::Label(reason), count)
                  : metrics_.NodeRejected(policy::Label(reason), count);
  }
}

}  // namespace huygens::extender
