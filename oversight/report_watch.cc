#include "oversight/report_watch.h"

#include <algorithm>
#include <map>

namespace huygens::oversight {

namespace {

constexpr int kPeriod = 600;
// Who has just switched a check to report wants to know soon.
constexpr int kFirstPeriod = 60;
constexpr size_t kMostPods = 10'000;
constexpr size_t kMostReasons = 3;
constexpr std::string_view kEvent = "WouldBeRefused";

bool Insert(TextSet& pods, std::string_view uid) {
  return pods.size() < kMostPods && !pods.contains(uid) && pods.emplace(uid).second;
}

std::string Count(const TextSet& pods) {
  return Concat(pods.size() < kMostPods ? "" : "at least ", std::to_string(pods.size()));
}

std::string Plural(std::string_view count, std::string_view what) {
  return Concat(count, " ", what, count == "1" ? "" : "s");
}

std::string Nodes(const std::vector<bool>& nodes) {
  return std::to_string(std::count(nodes.begin(), nodes.end(), true));
}

// "usage", "topology and usage"
template <typename Reports>
std::string Names(const Reports& reports) {
  std::string names;
  for (const auto& each : reports) names += Concat(names.empty() ? "" : " and ", each.check);
  return names;
}

}  // namespace

ReportWatch::ReportWatch(admin::CoreContext& context, bool events)
    : context_(context), events_(events), period_(kFirstPeriod) {
  for (const placement::CheckSetting& check : context.placement.options().checks) {
    if (context.placement.ModeOf(check.name) == policy::CheckMode::kReport) Of(check.name);
  }
}

ReportWatch::Checked& ReportWatch::Of(std::string_view check) {
  auto found = std::ranges::find(checks_, check, &Checked::name);
  if (found != checks_.end()) return *found;
  Checked& made = checks_.emplace_back(Checked{.name = std::string(check), .current = {}, .last = {}});
  made.current.since = made.last.since = context_.clock.Now();
  return made;
}

void ReportWatch::Filter(const cluster::Pod& pod, const placement::FilterAnswer& answer) {
  for (const placement::CheckReport& report : answer.reports) {
    Tally& tally = Of(report.check).current;
    Insert(tally.pods, pod.uid);
    if (report.everywhere && Insert(tally.without_node, pod.uid)) context_.metrics.PodWouldBeRejected(report.check);
    for (cluster::NodeIndex node : report.nodes) {
      if (node >= tally.nodes.size()) tally.nodes.resize(node + size_t{1});
      tally.nodes[node] = true;
    }
    for (policy::Reason reason : report.reasons) ++tally.reasons[static_cast<size_t>(reason)];
  }
  if (!events_ || !answer.reports_leave_none) return;
  const auto& first = answer.reports.front();
  const auto reason = std::ranges::find_if(first.reasons, [](auto each) { return each != policy::Reason::kFits; });
  const std::string message =
      Concat("the check ", Names(answer.reports), " only reports; enforced, it would leave the pod no node: ",
             answer.quota_report.empty() ? policy::Text(*reason) : std::string_view(answer.quota_report));
  context_.warn(pod, {.reason = kEvent, .message = message, .repeat_key = ""});
}

void ReportWatch::Bound(const cluster::Pod& pod, std::string_view node,
                        std::span<const placement::NodeReport> reports) {
  if (!events_ || reports.empty()) return;
  const std::string message = Concat("bound to ", node, ", which the check ", Names(reports),
                                     " would refuse if it did not only report: ", policy::Text(reports.front().reason));
  context_.warn(pod, {.reason = kEvent, .message = message, .repeat_key = "bound"});
}

void ReportWatch::EverySecond() {
  if (++seconds_ < period_) return;
  const std::string minutes = std::to_string(period_ / 60);
  seconds_ = 0;
  period_ = kPeriod;
  for (Checked& each : checks_) {
    each.last =
        std::exchange(each.current, Tally{.since = context_.clock.Now(), .pods = {}, .without_node = {}, .nodes = {}});
    if (each.last.pods.empty()) continue;
    context_.log.Info("a check that only reports would have refused pods",
                      {{"check", each.name},
                       {"pods", Count(each.last.pods)},
                       {"podsOnEveryNode", Count(each.last.without_node)},
                       {"nodes", Nodes(each.last.nodes)},
                       {"minutes", minutes},
                       {"why", each.last.Why()}});
  }
}

std::vector<observe::Readiness::Item> ReportWatch::Describe() const {
  std::vector<observe::Readiness::Item> items;
  for (const Checked& each : checks_) {
    Tally sum = each.last;
    sum.Add(each.current);
    const bool reports = context_.placement.ModeOf(each.name) == policy::CheckMode::kReport;
    if (!reports && sum.pods.empty()) continue;  // enforced, and has enough to go by
    std::string detail = Concat(reports ? "only reports" : "has had too little to go by and only reported", "; since ",
                                FormatRfc3339(sum.since), " it would have refused ");
    if (sum.pods.empty()) {
      detail += "nothing";
    } else {
      detail += Concat(Plural(Count(sum.pods), "pod"), " on ", Plural(Nodes(sum.nodes), "node"), ", ",
                       Count(sum.without_node), " of them on every node: ", sum.Why());
    }
    items.push_back({.ok = true, .name = Concat("check ", each.name), .detail = std::move(detail)});
  }
  return items;
}

void ReportWatch::Tally::Add(const Tally& other) {
  for (const std::string& uid : other.pods) Insert(pods, uid);
  for (const std::string& uid : other.without_node) Insert(without_node, uid);
  nodes.resize(std::max(nodes.size(), other.nodes.size()));
  for (size_t i = 0; i < other.nodes.size(); ++i) nodes[i] = nodes[i] || other.nodes[i];
  for (size_t i = 0; i < reasons.size(); ++i) reasons[i] += other.reasons[i];
}

std::string ReportWatch::Tally::Why() const {
  std::map<std::string_view, uint64_t> by_text;  // two reasons may share a text
  for (policy::Reason reason : policy::kReasons) {
    const uint64_t count = reasons[static_cast<size_t>(reason)];
    if (reason != policy::Reason::kFits && count > 0) by_text[policy::Text(reason)] += count;
  }
  std::vector<std::pair<uint64_t, std::string_view>> ranking;
  ranking.reserve(by_text.size());
  for (const auto& [text, count] : by_text) ranking.emplace_back(count, text);
  std::ranges::stable_sort(ranking, std::greater<>(), [](const auto& each) { return each.first; });
  std::string why;
  for (size_t i = 0; i < std::min(ranking.size(), kMostReasons); ++i) {
    why += Concat(i == 0 ? "" : ", ", ranking[i].second, " (", std::to_string(ranking[i].first), "x)");
  }
  return why;
}

}  // namespace huygens::oversight
