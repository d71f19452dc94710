#include "rescheduler/diary.h"

#include <algorithm>
#include <utility>

#include "json/append.h"
#include "json/document.h"

namespace huygens::rescheduler {

using rescheduling::DailyReport;
using rescheduling::DayFacts;

namespace {

void Add(rescheduling::Counts& counts, std::string_view name, int64_t amount) {
  if (amount == 0) return;
  const auto at =
      std::ranges::lower_bound(counts, name, {}, [](const auto& each) { return std::string_view(each.first); });
  if (at != counts.end() && at->first == name) {
    at->second += amount;
  } else {
    counts.emplace(at, std::string(name), amount);
  }
}

// What was counted since, beside what earlier processes counted.
rescheduling::Counts Since(const rescheduling::Counts& before, const Diary::Totals& from, const Diary::Totals& to) {
  rescheduling::Counts counts = before;
  for (const auto& [name, total] : to) {
    const auto began = from.find(name);
    Add(counts, name, static_cast<int64_t>(total - (began == from.end() ? 0 : began->second)));
  }
  return counts;
}

}  // namespace

std::string DayText(Time time) { return FormatRfc3339(time).substr(0, 10); }

void Diary::Restore(std::string_view json) {
  const auto read = DecodeJson<DailyReport>(json);
  if (!read.ok()) return;  // of another version of the program
  for (const auto& each : read->causes) Add(before_.selected, each.cause, each.selected);
  before_.refused = read->refused;
  before_.disruption_budgets = read->disruption_budgets;
  std::ranges::sort(before_.refused);
  std::ranges::sort(before_.disruption_budgets);
  if (read->hot_nodes_begin) begin_ = DayFacts::Hot{.nodes = *read->hot_nodes_begin};
  breaker_open_ += std::chrono::seconds(read->breaker_open_seconds);
  frozen_ += std::chrono::seconds(read->frozen_seconds);
}

void Diary::Note(const Now& state, Time now) {
  if (noted_ && now > *noted_ && now - *noted_ < std::chrono::minutes(1)) {
    if (last_.breaker_open) breaker_open_ += now - *noted_;
    if (last_.frozen) frozen_ += now - *noted_;
  }
  if (state.planned && !begin_) begin_ = DayFacts::Hot{.nodes = static_cast<int64_t>(state.hot_nodes)};
  last_ = state;
  noted_ = now;
}

DailyReport Diary::Count(const std::vector<rescheduling::Migration>& migrations, Time now) const {
  DayFacts facts;
  facts.selected = Since(before_.selected, at_start_.selected, last_.selected);
  facts.refused = Since(before_.refused, at_start_.refused, last_.refused);
  facts.disruption_budgets = Since(before_.disruption_budgets, at_start_.budgets, last_.budgets);
  facts.begin = begin_;
  if (last_.planned) facts.end = DayFacts::Hot{.nodes = static_cast<int64_t>(last_.hot_nodes)};
  facts.breaker_open = breaker_open_;
  facts.frozen = frozen_;
  for (const auto& [reason, count] : last_.stuck) Add(facts.stuck, reason, count);
  DailyReport report = rescheduling::CountDay(migrations, facts, DayOf(now));
  report.hot_slots_begin.reset();  // only nodes are counted
  report.hot_slots_end.reset();
  return report;
}

std::string Diary::Patch(const DailyReport& report, Time now) const {
  std::string json = EncodeJson(report);
  std::string patch = "{\"data\":{";
  AppendJsonKey(patch, report.day + ".json");
  AppendJsonString(patch, json);
  AppendJsonKey(patch, report.day + ".txt");
  AppendJsonString(patch, rescheduling::Text(report, yesterday_ ? &*yesterday_ : nullptr));
  // A week more than needed, so that a process that did not run for days takes all with it.
  for (int age = kDays; age < kDays + 7; ++age) {
    const std::string old = DayText(now - std::chrono::days(age));
    for (std::string_view kind : {".json", ".txt"}) {
      AppendJsonKey(patch, Concat(old, kind));
      patch += "null";
    }
  }
  return patch + "}}";
}

void Diary::NextDay(DailyReport ended) {
  yesterday_ = std::move(ended);
  before_ = {};
  at_start_ = last_;
  begin_.reset();
  breaker_open_ = frozen_ = Duration::zero();
}

}  // namespace huygens::rescheduler
