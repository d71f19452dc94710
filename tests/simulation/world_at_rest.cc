#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "tests/simulation/world.h"

namespace huygens::simulation {
namespace {

using cluster::BizGroupQuota;

constexpr std::string_view kHoursKey = "limits.cpu";

int64_t HoursOf(const BizGroupQuota& group) {
  const auto found = group.exact_hours.find(std::string(kHoursKey));
  return found == group.exact_hours.end() ? 0 : std::stoll(found->second);
}

int64_t SecondsOf(Time time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

// Of keys of the budget, hours aside.
Plain Limited(const Plain& amounts, const BizGroupQuota& group) {
  Plain limited;
  for (const auto& [key, hard] : PlainOf(group.hard)) {
    const auto found = amounts.find(key);
    if (!IsHours(key) && found != amounts.end() && found->second != 0) limited.insert(*found);
  }
  return limited;
}

}  // namespace

std::string World::CheckAtRest() {
  if (std::string why = truth_.AtRest(); !why.empty()) return why;
  if (std::string why = CheckInstances(); !why.empty()) return why;
  if (std::string why = CheckHours(); !why.empty()) return why;
  return CheckRoom();
}

// What each of them believes is what is stored.
std::string World::CheckInstances() const {
  const auto on_the_way = truth_.OnTheWay();
  for (size_t i = 0; i < webhooks_.size(); ++i) {
    const std::string who = Concat("at rest webhook ", std::to_string(i));
    const auto& tree = webhooks_[i]->ledger().tree();
    for (const auto& [name, group] : tree.groups()) {
      if (group.object && !server_.groups().contains(name))
        return Concat(who, " knows bizrq/", name, ", which is gone");
    }
    for (const auto& [name, group] : server_.groups()) {
      if (on_the_way.contains(name)) continue;
      const quota::Group* known = tree.Find(name);
      if (known == nullptr) return Concat(who, " does not know bizrq/", name);
      const Plain used = Limited(PlainOf(known->used), group), stored = Limited(truth_.All(name), group);
      if (used != stored) {
        return Concat(who, " believes that of bizrq/", name, " is used ", Text(used), ", stored is ", Text(stored));
      }
    }
  }
  for (size_t i = 0; i < controllers_.size(); ++i) {
    const std::string who = Concat("at rest controller ", std::to_string(i));
    std::string gone;
    controllers_[i]->groups().ForEach([&](const BizGroupQuota& each) {
      if (!server_.groups().contains(each.name)) gone = each.name;
    });
    if (!gone.empty()) return Concat(who, " knows bizrq/", gone, ", which is gone");
    // What is charged by an object that has shrunk since, or settled by one that has not grown yet, looks like drift.
    const Settings& settings = plan_.settings;
    const bool in_time =
        settings.calls.slow + settings.calls.lost_answer + settings.requests.slow_store == 0 && settings.lag.often == 0;
    const auto& counts = controllers_[i]->counts();
    if (in_time && counts.drift_over + counts.drift_under > 0) {
      return Concat(who, " found drift: ", std::to_string(counts.drift_over), " too much, ",
                    std::to_string(counts.drift_under), " too little");
    }
  }
  if (extender_ == nullptr) return {};
  for (const auto& [name, group] : server_.groups()) {
    const Plain charged = Limited(extender_->Charged(name), group), placed = Limited(truth_.Placed(name), group);
    if (charged != placed) {
      return Concat("at rest the extender charges bizrq/", name, " ", Text(charged), ", placed is ", Text(placed));
    }
  }
  return extender_->Drift() == 0 ? "" : "the extender's accounts had drifted";
}

// Each second of each pod was counted once, in one group or another, and stays with the parent of one that is gone.
std::string World::CheckHours() {
  if (!plan_.settings.hours) return {};
  std::map<std::string, int64_t> counted, expected;
  int64_t all_counted = 0, all_expected = 0;
  for (const auto& [name, group] : server_.groups()) {
    counted[name] = HoursOf(group);
    all_counted += HoursOf(group);
  }
  for (const Change& each : server_.Log(kGroups)) {  // with a root its hours go
    if (each.gone && each.group->parent.empty()) all_counted += HoursOf(*each.group);
  }
  tally_.hours = all_counted;
  if (!plan_.settings.exact_hours) return {};
  // With periods what the present one consumed.
  const auto since_of = [&](const std::string& name) -> std::optional<Time> {
    const auto found = server_.groups().find(name);
    if (!plan_.settings.periods || found == server_.groups().end() || !found->second.last_reconcile)
      return std::nullopt;
    const Time begins = time_.Now() - time_.Monotonic() + plan_.settings.period_begins;
    return *found->second.last_reconcile >= begins ? begins : begins - std::chrono::hours(24);
  };
  for (const auto& [uid, paid] : paid_) {
    if (paid.group.empty()) continue;
    std::optional<Time> end = paid.pod.ended;
    if (!end) {
      const std::string payer = truth_.PayerOf(paid.pod);
      const auto group = server_.groups().find(payer);
      if (group == server_.groups().end() || !group->second.last_reconcile) continue;
      end = *group->second.last_reconcile;
    }
    const Time start = std::max(*paid.pod.scheduled, since_of(paid.group).value_or(*paid.pod.scheduled));
    const int64_t units = std::max<int64_t>(SecondsOf(*end) - SecondsOf(start), 0) * paid.pod.milli_cores;
    expected[paid.group] += units;
    all_expected += units;
  }
  if (!moved_ && !deleted_) {
    for (const auto& [name, units] : counted) {
      if (units == expected[name]) continue;
      return Concat("hours of bizrq/", name, ": counted ", std::to_string(units), " milli-core-seconds, its pods ran ",
                    std::to_string(expected[name]));
    }
  }
  if (all_counted == all_expected || (plan_.settings.periods && (moved_ || deleted_))) return {};
  return Concat("hours: counted ", std::to_string(all_counted), " milli-core-seconds, all pods ran ",
                std::to_string(all_expected));
}

// Just what is left of a budget is let in, and no more.
std::string World::CheckRoom() {
  const auto on_the_way = truth_.OnTheWay();
  for (const auto& [name, group] : server_.groups()) {
    if (group.deleting) continue;
    bool stands = true;
    for (std::string at = name; !at.empty();) {
      const auto found = server_.groups().find(at);
      if (found == server_.groups().end() || on_the_way.contains(at)) {
        stands = false;
        break;
      }
      const Plain all = truth_.All(at), hard = PlainOf(found->second.hard), used = PlainOf(found->second.used);
      for (const auto& [key, limit] : hard) {
        const auto taken = IsHours(key) ? used.find(key) : all.find(key);
        if (taken != (IsHours(key) ? used.end() : all.end()) && taken->second > limit) stands = false;
      }
      at = found->second.parent;
    }
    const Plain hard = PlainOf(group.hard), used = PlainOf(group.used);
    for (const auto& [key, limit] : hard) {
      // Some run on while this is asked.
      if (IsHours(key) && used.contains(key) && used.at(key) * 2 >= limit) stands = false;
    }
    Plain all = truth_.All(name);
    if (!stands || (hard.contains("pods") && all["pods"] + 1000 > hard.at("pods"))) continue;
    const int64_t left = hard.at("limits.cpu") - all["limits.cpu"];
    for (size_t i = 0; i < webhooks_.size(); ++i) {
      if (left > 0) {
        if (std::string why = Probe(i, group, left, true); !why.empty()) return why;
      }
      if (std::string why = Probe(i, group, left + 1, false); !why.empty()) return why;
    }
  }
  return {};
}

std::string World::Probe(size_t webhook, const BizGroupQuota& group, int64_t milli, bool fits) {
  Workload probe{.kind = std::string(kDeployments), .name = "probe", .uid = server_.NewUid("probe")};
  probe.group = group.name;
  probe.milli_cores = milli;
  std::string answer;
  webhooks_[webhook]->Ask(ReviewOf("probe", nullptr, probe, true), std::chrono::seconds(10),
                          [&answer](std::string said) { answer = std::move(said); });
  time_.Run(time_.Monotonic() + std::chrono::seconds(2));
  const bool allowed = answer.find(R"("allowed":true)") != std::string::npos;
  if (allowed == fits) return {};
  return Concat("at rest webhook ", std::to_string(webhook), allowed ? " lets " : " does not let ",
                std::to_string(milli), " more milli-cores into bizrq/", group.name, ": ", answer);
}

}  // namespace huygens::simulation
