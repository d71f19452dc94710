#include "recommend/simulation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "recommend/memory_guard.h"
#include "recommend/usage_model.h"

namespace huygens::recommend {

namespace {

constexpr int64_t kMostAmount = int64_t{1} << 50;
constexpr std::string_view kColumns[] = {"time", "cpu", "memory", "cpuRequest", "memoryRequest"};

std::vector<std::string_view> CellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const size_t comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"' || cell.back() == '\r')) cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> NumberOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) || !(number < 1e15))
    return std::nullopt;
  return number;
}

std::optional<Time> TimeOf(std::string_view text) {
  if (const std::optional<double> seconds = NumberOf(text)) {
    if (*seconds > 7e9) return std::nullopt;
    return Time(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds)));
  }
  const StatusOr<Time> time = ParseRfc3339(text);
  return time.ok() ? std::optional(*time) : std::nullopt;
}

int64_t DayOf(Time time) { return std::chrono::floor<std::chrono::days>(time).time_since_epoch().count(); }

// One resource of one workload, day by day.
class Player {
 public:
  Player(Resource resource, const Profile& profile, const PoolPolicy& policy)
      : resource_(resource),
        rounding_(policy.rounding[static_cast<size_t>(resource)]),
        expansion_(policy.expansion[static_cast<size_t>(resource)]),
        min_history_(policy.min_history),
        model_(resource == Resource::kCpu ? ModelOptions::Cpu(profile) : ModelOptions::Memory(profile)) {}

  void See(Time time, double used, std::optional<double> requested) {
    if (DayOf(time) != day_) BeginDay(time);
    if (requested) requested_ = requested;
    if (request_) Judge(time, used);
    const std::optional<int64_t> amount = static_cast<int64_t>(std::ceil(used * UnitsOf(resource_)));
    // Weighed alike where it is not recorded what was asked for.
    const auto weight = static_cast<int64_t>(resource_ == Resource::kCpu ? requested_.value_or(1) * 1000 : 0);
    model_.Add({"", time, weight, std::span(&amount, 1)});
    if (resource_ == Resource::kMemory) guard_.AddUse(*amount, time);
  }

  size_t days() const { return days_; }

  SimulatedResource Finish() {
    EndDay();
    result_.requested = requested_;
    if (used_.empty()) return result_;
    std::sort(used_.begin(), used_.end());
    const auto at = [&](double share) {
      return used_[static_cast<size_t>(share * static_cast<double>(used_.size() - 1))];
    };
    result_.median = at(0.5);
    result_.p95 = at(0.95);
    result_.most = used_.back();
    return result_;
  }

 private:
  void BeginDay(Time time) {
    EndDay();
    day_ = DayOf(time);
    if (!model_.first() || time - *model_.first() < min_history_) return;
    const int64_t original =
        requested_ ? static_cast<int64_t>(std::llround(*requested_ * UnitsOf(resource_))) : kMostAmount;
    int64_t amount = Correct(model_.Value() * UnitsOf(resource_), expansion_, rounding_, original);
    if (resource_ == Resource::kMemory) amount = std::min(original, std::max(amount, guard_.Least(time)));
    request_ = result_.recommended = static_cast<double>(amount) / UnitsOf(resource_);
    result_.highest = std::max(result_.highest, *request_);
    ++days_;
  }

  void EndDay() {
    if (!today_.empty()) {
      result_.outcome.Add(*request_, today_);
      const auto above = static_cast<double>(above_today_) / static_cast<double>(today_.size());
      if (above > result_.worst_share) {
        result_.worst_share = above;
        result_.worst_day = Time(std::chrono::days(day_));
      }
    }
    used_.insert(used_.end(), today_.begin(), today_.end());
    today_.clear();
    above_today_ = 0;
  }

  void Judge(Time time, double used) {
    today_.push_back(used);
    if (above_since_) result_.longest = std::max(result_.longest, time - *above_since_);
    if (used <= *request_ * (1 + 1e-9)) {
      above_since_.reset();
      return;
    }
    ++above_today_;
    if (!above_since_) above_since_ = time;
  }

  const Resource resource_;
  const Rounding rounding_;
  const int64_t expansion_;
  const Duration min_history_;
  UsageModel model_;
  MemoryGuard guard_;
  SimulatedResource result_;
  int64_t day_ = INT64_MIN;
  size_t days_ = 0;
  std::optional<double> request_, requested_;
  std::vector<double> today_, used_;
  size_t above_today_ = 0;
  std::optional<Time> above_since_;
};

}  // namespace

StatusOr<std::vector<RecordedUse>> ParseRecordedUse(std::string_view csv) {
  std::vector<RecordedUse> recorded;
  std::array<std::optional<size_t>, std::size(kColumns)> places;
  for (size_t number = 1; !csv.empty(); ++number) {
    const size_t end = std::min(csv.find('\n'), csv.size());
    const std::string_view line = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    const std::vector<std::string_view> cells = CellsOf(line);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (!places[0]) {
      for (size_t i = 0; i < cells.size(); ++i) {
        const auto column = std::find(std::begin(kColumns), std::end(kColumns), cells[i]);
        if (column != std::end(kColumns)) places[static_cast<size_t>(column - std::begin(kColumns))] = i;
      }
      if (places[0] && (places[1] || places[2])) continue;
      return Invalid(Concat("line ", std::to_string(number), ": the heading must have time, and cpu or memory"));
    }
    std::array<std::string_view, std::size(kColumns)> texts;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (places[i] && *places[i] < cells.size()) texts[i] = cells[*places[i]];
    }
    RecordedUse& use = recorded.emplace_back();
    const std::optional<Time> time = TimeOf(texts[0]);
    if (!time) return Invalid(Concat("line ", std::to_string(number), ": \"", CutText(texts[0], 40), "\" is no time"));
    use.time = *time;
    for (size_t i = 1; i < texts.size(); ++i) {
      std::optional<double>& amount = (i < 3 ? use.used : use.requested)[(i - 1) % 2];
      amount = NumberOf(texts[i]);
      if (amount || texts[i].empty()) continue;
      return Invalid(
          Concat("line ", std::to_string(number), ": ", kColumns[i], ": \"", CutText(texts[i], 40), "\" is no amount"));
    }
  }
  std::stable_sort(recorded.begin(), recorded.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return recorded;
}

Simulation Simulate(std::span<const RecordedUse> recorded, const Profile& profile, const PoolPolicy& policy) {
  Simulation simulation;
  for (size_t i = 0; i < kResources; ++i) {
    Player player(static_cast<Resource>(i), profile, policy);
    for (const RecordedUse& use : recorded) {
      if (use.used[i]) player.See(use.time, *use.used[i], use.requested[i]);
    }
    simulation.resources[i] = player.Finish();
    simulation.days = std::max(simulation.days, player.days());
  }
  return simulation;
}

}  // namespace huygens::recommend
