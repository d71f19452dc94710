// The daily reports: what rescheduling/report.h counts of each day (UTC), written into the ConfigMap huygens-moves every
// few minutes and once more after the day, as DAY.json and DAY.txt; those of two weeks are kept. A process that starts in
// the middle of a day goes on from what the last one wrote. Decision thread only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rescheduling/report.h"

namespace huygens::rescheduler {

class Diary {
 public:
  static constexpr int kDays = 14;
  using Totals = std::map<std::string, uint64_t, std::less<>>;

  // What is so at the moment, or has been counted since the process began.
  struct Now {
    Totals selected, refused, budgets;
    size_t hot_nodes = 0;
    bool planned = false;  // once at least
    bool breaker_open = false, frozen = false;
    std::vector<std::pair<std::string, int64_t>> stuck;  // by reason
  };

  // What was written of this day before the process began, as DAY.json; empty: nothing.
  void Restore(std::string_view json);
  // Takes in how things stand. Called about once a second.
  void Note(const Now& state, Time now);
  // The report of the day so far.
  rescheduling::DailyReport Count(const std::vector<rescheduling::Migration>& migrations, Time now) const;
  // The merge patch of the ConfigMap with it; days that are not kept any more go.
  std::string Patch(const rescheduling::DailyReport& report, Time now) const;
  // Whether the day that Note was told of last is over: its last report is due, by Count and Patch with a time in it.
  bool DayEnds(Time now) const { return noted_ && DayOf(now) != DayOf(*noted_); }
  // Begins the next one; `ended` is shown beside it.
  void NextDay(rescheduling::DailyReport ended);
  std::optional<Time> noted() const { return noted_; }

 private:
  static std::chrono::sys_days DayOf(Time time) { return std::chrono::floor<std::chrono::days>(time); }

  rescheduling::DayFacts before_;  // of the day, from earlier processes
  Now at_start_, last_;            // of the day, in this process
  std::optional<rescheduling::DayFacts::Hot> begin_;
  Duration breaker_open_{}, frozen_{};
  std::optional<Time> noted_;
  std::optional<rescheduling::DailyReport> yesterday_;
};

// "2026-11-28"
std::string DayText(Time time);

}  // namespace huygens::rescheduler
