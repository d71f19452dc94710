#include "usage_sources/manifest_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/resource.h"

namespace huygens::usage_sources {
namespace {

using std::chrono::minutes;

// Minutes since the Monday before 1970.
int64_t MinuteAt(Time time) {
  constexpr int64_t kThursday = int64_t{3} * 24 * 60;
  return std::chrono::floor<minutes>(time.time_since_epoch()).count() + kThursday;
}

// The highest use from `begin` to `end`, both in minutes since a Monday, `end` not included.
const Quantity& HighestUse(const std::vector<std::pair<int, Quantity>>& steps, int64_t begin, int64_t end) {
  const int64_t week_begin = begin - begin % wire::kMinutesPerWeek;
  auto step = std::ranges::upper_bound(steps, begin - week_begin, {}, &std::pair<int, Quantity>::first);
  // The step that was in force when the time began: before the first of a week that is the last one.
  const Quantity* highest = step == steps.begin() ? &steps.back().second : &std::prev(step)->second;
  int64_t week = week_begin;
  for (size_t left = steps.size(); left > 0; --left, ++step) {
    if (step == steps.end()) {
      step = steps.begin();
      week += wire::kMinutesPerWeek;
    }
    if (week + step->first >= end) break;
    if (step->second > *highest) highest = &step->second;
  }
  return *highest;
}

}  // namespace

ManifestSource::ManifestSource(std::span<const wire::UsageHistory> histories, usage::Options usage)
    : usage_(std::move(usage)), series_(usage_.resources.size()) {
  for (const wire::UsageHistory& history : histories) {
    for (const wire::UsageSeries& series : history.series) {
      const auto found = std::ranges::find(usage_.resources, series.resource, &usage::ResourceOptions::name);
      if (found != usage_.resources.end()) {
        series_[static_cast<size_t>(found - usage_.resources.begin())].push_back(series);
      } else {
        std::string notice = Concat("UsageHistory ", history.name, ": usage.resources does not list ", series.resource);
        if (std::ranges::find(notices_, notice) == notices_.end()) notices_.push_back(std::move(notice));
      }
    }
  }
}

StatusOr<Progress> ManifestSource::Refresh(Time now, const Deliver& deliver) {
  const int64_t open = usage::SlotAt(now, usage_.slot);
  // The whole window anew where the clock went back, or on by more than that.
  const int64_t oldest = usage::OldestSlot(now, usage_);
  const int64_t first = delivered_ && *delivered_ <= open ? std::max(*delivered_, oldest) : oldest;
  for (size_t i = 0; i < series_.size(); ++i) {
    SlotMaxima maxima;
    for (const wire::UsageSeries& series : series_[i]) Raise(maxima, series, usage_.resources[i].resource, first, now);
    std::move(maxima).DeliverTo(deliver, i);
  }
  delivered_ = open;
  return Progress{.more = false, .left_out = 0, .notices = notices_};
}

void ManifestSource::Raise(SlotMaxima& out, const wire::UsageSeries& series, ResourceId resource, int64_t first,
                           Time now) const {
  const uint32_t subject = series.node.empty() ? out.Subject(SubjectKind::kWorkload, series.workload)
                                               : out.Subject(SubjectKind::kNode, series.node);
  const int64_t start = series.weekly.empty() ? usage::SlotAt(series.start, usage_.slot) : first;
  const int64_t open = usage::SlotAt(now, usage_.slot);
  for (int64_t slot = std::max(first, start); slot <= open; ++slot) {
    const Time begin(slot * usage_.slot);
    const Time measured = std::min(now, begin + usage_.slot);
    if (!series.weekly.empty()) {
      const Quantity& use = HighestUse(series.weekly, MinuteAt(begin), MinuteAt(begin + usage_.slot));
      out.Raise(subject, slot, BaseUnits(resource, use), measured);
      continue;
    }
    const auto index = static_cast<size_t>(slot - start);
    if (index >= series.values.size()) break;
    if (series.values[index]) out.Raise(subject, slot, BaseUnits(resource, *series.values[index]), measured);
  }
}

}  // namespace huygens::usage_sources
