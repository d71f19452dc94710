#include "rescheduling/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace huygens::rescheduling {

namespace {

constexpr Duration kDay = std::chrono::hours(24);

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Nearest rank.
double Percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

DailyReport::Times TimesOf(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {static_cast<int64_t>(seconds.size()), Percentile(seconds, 0.5), Percentile(seconds, 0.95),
          seconds.empty() ? 0 : seconds.back()};
}

int64_t Get(const Counts& counts, std::string_view name) {
  const auto found = std::ranges::find(counts, name, &Counts::value_type::first);
  return found == counts.end() ? 0 : found->second;
}

// The migration as it stood at that time.
Migration AsOf(const Migration& migration, Time time) {
  Migration then = migration;
  if (then.finished && *then.finished >= time) {
    then.finished.reset();
    then.outcome = Outcome::kUnderWay;
    then.reason.clear();
  }
  if (then.bound && *then.bound >= time) then.bound.reset(), then.landed = Landed::kNowhere;
  if (then.evicted && *then.evicted >= time) then.evicted.reset();
  return then;
}

void CountOne(const Migration& migration, DailyReport::OfCause& of, std::map<std::string, int64_t>& failures) {
  of.moved += migration.evicted ? 1 : 0;
  of.retried += migration.attempts > 1 ? 1 : 0;
  switch (migration.outcome) {
    case Outcome::kUnderWay:
      ++of.under_way;
      break;
    case Outcome::kSucceeded:
      ++(migration.landed == Landed::kTarget ? of.on_target : of.elsewhere);
      break;
    case Outcome::kFailed:
      ++of.failed;
      ++failures[migration.reason];
      break;
    case Outcome::kAbandoned:
      ++of.abandoned;
      break;
  }
}

// The most of one workload that were evicted and neither Ready elsewhere nor given up, at any moment.
int64_t MostAway(const std::vector<Migration>& migrations) {
  std::map<std::string_view, std::vector<std::pair<Time, int>>> changes;
  for (const Migration& each : migrations) {
    if (!each.evicted) continue;
    auto& of = changes[each.move.workload];
    of.emplace_back(*each.evicted, 1);
    if (each.finished) of.emplace_back(*each.finished, -1);
  }
  int64_t most = 0;
  for (auto& [workload, of] : changes) {
    std::ranges::sort(of);  // who comes back in the same moment comes first
    int64_t away = 0;
    for (const auto& [time, change] : of) most = std::max(most, away += change);
  }
  return most;
}

std::string Line(const char* what, const std::string& now, const std::string* before) {
  char line[160];
  std::snprintf(line, sizeof line, "%-44s %14s %14s\n", what, now.c_str(), before ? before->c_str() : "");
  return line;
}

std::string Number(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Rate(const std::optional<double>& rate) { return rate ? Number(*rate * 100, "%.1f %%") : "-"; }

std::string Known(const std::optional<int64_t>& number) { return number ? std::to_string(*number) : "-"; }

std::string List(const char* what, const Counts& counts) {
  std::string text = counts.empty() ? "" : std::string(what) + "\n";
  for (const auto& [name, count] : counts) text += "  " + std::to_string(count) + "  " + name + "\n";
  return text;
}

}  // namespace

DailyReport CountDay(std::span<const Migration> migrations, const DayFacts& facts, Time midnight) {
  DailyReport report;
  report.day = FormatRfc3339(midnight).substr(0, 10);
  std::vector<Migration> today;
  for (const Migration& each : migrations) {
    if (each.created >= midnight && each.created < midnight + kDay) today.push_back(AsOf(each, midnight + kDay));
  }
  std::ranges::sort(today, {}, [](const Migration& each) { return std::tie(each.created, each.uid); });

  std::map<std::string_view, int64_t> by_workload;
  std::vector<double> to_bound, to_ready;
  for (Cause cause : kCauses) {
    DailyReport::OfCause of{.cause = std::string(Name(cause)), .selected = Get(facts.selected, Name(cause))};
    std::map<std::string, int64_t> failures;
    for (const Migration& each : today) {
      if (each.move.cause == cause) CountOne(each, of, failures);
    }
    const int64_t succeeded = of.on_target + of.elsewhere;
    if (succeeded + of.failed > 0) {
      of.success_rate = static_cast<double>(succeeded) / static_cast<double>(succeeded + of.failed);
    }
    of.failures.assign(failures.begin(), failures.end());
    report.causes.push_back(std::move(of));
  }
  for (const Migration& each : today) {
    if (each.evicted) ++by_workload[each.move.workload];
    if (each.evicted && each.bound) to_bound.push_back(Seconds(*each.bound - *each.evicted));
    if (each.bound && each.finished && each.outcome == Outcome::kSucceeded) {
      to_ready.push_back(Seconds(*each.finished - *each.bound));
    }
    // A later move of the same pod that succeeded recovered it.
    const bool again = std::ranges::any_of(today, [&](const Migration& later) {
      return later.created > each.created && later.outcome == Outcome::kSucceeded &&
             later.move.pod.uid == each.move.pod.uid;
    });
    if (each.outcome != Outcome::kFailed || !each.evicted || again) continue;
    report.unrecovered.push_back({each.move.pod.Text(), each.move.workload, each.move.source,
                                  FormatRfc3339(*each.evicted), each.reason, each.attempts});
  }
  report.evicted_to_bound = TimesOf(std::move(to_bound));
  report.bound_to_ready = TimesOf(std::move(to_ready));
  for (const auto& [workload, moves] : by_workload) {
    if (moves <= report.most_moves_of_workload) continue;
    report.most_moves_of_workload = moves;
    report.most_moved_workload = workload;
  }
  report.most_away_at_once = MostAway(today);
  report.refused = facts.refused;
  report.disruption_budgets = facts.disruption_budgets;
  report.stuck = facts.stuck;
  if (facts.begin) report.hot_nodes_begin = facts.begin->nodes, report.hot_slots_begin = facts.begin->slots;
  if (facts.end) report.hot_nodes_end = facts.end->nodes, report.hot_slots_end = facts.end->slots;
  report.newly_hot_targets = facts.newly_hot_targets;
  report.breaker_open_seconds = std::chrono::duration_cast<std::chrono::seconds>(facts.breaker_open).count();
  report.frozen_seconds = std::chrono::duration_cast<std::chrono::seconds>(facts.frozen).count();
  return report;
}

std::string Text(const DailyReport& report, const DailyReport* before) {
  const auto line = [&](const char* what, auto say) {
    const std::string earlier = before ? say(*before) : std::string();
    return Line(what, say(report), before ? &earlier : nullptr);
  };
  const std::string day_before = before ? before->day : std::string();
  std::string text = Line("moves of pods", report.day, before ? &day_before : nullptr);
  for (size_t c = 0; c < report.causes.size(); ++c) {
    const auto of = [c](auto say) {
      return
          [c, say](const DailyReport& each) { return c < each.causes.size() ? say(each.causes[c]) : std::string("-"); };
    };
    const DailyReport::OfCause& now = report.causes[c];
    if (now.selected == 0 && now.moved == 0 && now.failed == 0 && now.abandoned == 0 && now.under_way == 0) continue;
    text += line((now.cause + ": pods planned to move").c_str(),
                 of([](const auto& each) { return std::to_string(each.selected); }));
    text += line("  evicted", of([](const auto& each) { return std::to_string(each.moved); }));
    text += line("  on their target", of([](const auto& each) { return std::to_string(each.on_target); }));
    text += line("  elsewhere", of([](const auto& each) { return std::to_string(each.elsewhere); }));
    text += line("  failed", of([](const auto& each) { return std::to_string(each.failed); }));
    text += line("  given up before anybody was evicted",
                 of([](const auto& each) { return std::to_string(each.abandoned); }));
    text += line("  still under way", of([](const auto& each) { return std::to_string(each.under_way); }));
    text += line("  success rate", of([](const auto& each) { return Rate(each.success_rate); }));
    for (const auto& [reason, count] : now.failures) text += "    " + std::to_string(count) + "  " + reason + "\n";
  }
  const auto seconds = [](double value) { return Number(value, "%.1f s"); };
  text +=
      line("evicted to bound, median", [&](const auto& each) { return seconds(each.evicted_to_bound.p50_seconds); });
  text +=
      line("evicted to bound, slowest", [&](const auto& each) { return seconds(each.evicted_to_bound.max_seconds); });
  text += line("bound to Ready, median", [&](const auto& each) { return seconds(each.bound_to_ready.p50_seconds); });
  text += line("bound to Ready, slowest", [&](const auto& each) { return seconds(each.bound_to_ready.max_seconds); });
  text += line("nodes above a ceiling, in the morning", [](const auto& each) { return Known(each.hot_nodes_begin); });
  text += line("nodes above a ceiling, in the evening", [](const auto& each) { return Known(each.hot_nodes_end); });
  text +=
      line("slots of the week above it, in the morning", [](const auto& each) { return Known(each.hot_slots_begin); });
  text +=
      line("slots of the week above it, in the evening", [](const auto& each) { return Known(each.hot_slots_end); });
  text += line("targets that became hot", [](const auto& each) { return std::to_string(each.newly_hot_targets); });
  text +=
      line("most moves of one workload", [](const auto& each) { return std::to_string(each.most_moves_of_workload); });
  text += line("most replicas of one workload away at once",
               [](const auto& each) { return std::to_string(each.most_away_at_once); });
  text +=
      line("circuit breaker open", [](const auto& each) { return std::to_string(each.breaker_open_seconds) + " s"; });
  text += line("frozen", [](const auto& each) { return std::to_string(each.frozen_seconds) + " s"; });
  text += line("pods not recovered", [](const auto& each) { return std::to_string(each.unrecovered.size()); });
  for (const DailyReport::Unrecovered& each : report.unrecovered) {
    text += "  " + each.pod + " of " + each.workload + ", evicted from " + each.source + " at " + each.since + ": " +
            each.reason + ", tried " + std::to_string(each.attempts) + " times\n";
  }
  text += List("held by limits", report.refused);
  text += List("refused by PodDisruptionBudgets", report.disruption_budgets);
  text += List("what nothing cures", report.stuck);
  return text;
}

}  // namespace huygens::rescheduling
