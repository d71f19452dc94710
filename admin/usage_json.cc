#include "admin/usage_json.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "admin_api/amounts.h"

namespace huygens::admin {

namespace {

using admin_api::QuantityText;
using admin_api::ResourceUse;
using admin_api::WeekOfUse;

double Share(int64_t amount, int64_t capacity) {
  return std::round(1000 * static_cast<double>(amount) / static_cast<double>(capacity)) / 1000;
}

}  // namespace

std::string_view Name(usage::MetricState state) {
  switch (state) {
    case usage::MetricState::kFresh:
      return "fresh";
    case usage::MetricState::kStale:
      return "stale";
    case usage::MetricState::kAbsent:
      break;
  }
  return "absent";
}

std::string SlotText(size_t slot, const usage::Options& options, Time now) {
  const int64_t open = usage::SlotAt(now, options.slot);
  const auto slots = static_cast<int64_t>(options.slots);
  const int64_t last = open - (open - static_cast<int64_t>(slot)) % slots;
  const auto begin = std::chrono::floor<std::chrono::minutes>(Time(last * options.slot));
  const auto day = std::chrono::floor<std::chrono::days>(begin);
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto minutes = (begin - day).count();
  char text[32];
  std::snprintf(text, sizeof text, "%s %02d:%02d", kDays[std::chrono::weekday(day).c_encoding()],
                static_cast<int>(minutes / 60), static_cast<int>(minutes % 60));
  return text;
}

ResourceUse UseOf(const usage::NodeUse& use, ResourceId resource, Time now) {
  const auto text = [resource](int64_t amount) { return QuantityText(resource, amount); };
  ResourceUse said{.state = std::string(Name(use.state)), .peak = text(use.peak)};
  if (use.measured) said.age_seconds = std::chrono::floor<std::chrono::seconds>(now - *use.measured).count();
  const bool fresh = use.state == usage::MetricState::kFresh;
  if (fresh) said.now = text(use.now);
  if (fresh && use.measured_peak < use.peak) said.measured_peak = text(use.measured_peak);
  if (use.capacity > 0) {
    said.capacity = text(use.capacity);
    if (fresh) said.now_share = Share(use.now, use.capacity);
    said.peak_share = Share(use.peak, use.capacity);
  }
  if (use.ceiling) {
    said.ceiling = text(*use.ceiling);
    said.headroom = text(*use.ceiling - use.peak);
  }
  return said;
}

WeekOfUse WeekOf(const placement::Placement& placement, cluster::NodeIndex node,
                 std::span<const usage::NodeFigures> figures, Time now) {
  const usage::Options& options = placement.usage().options();
  WeekOfUse said{.slot_seconds = std::chrono::floor<std::chrono::seconds>(options.slot).count()};
  for (size_t r = 0; r < figures.size(); ++r) {
    const usage::NodeFigures& each = figures[r];
    const ResourceId resource = options.resources[r].resource;
    const auto text = [resource](int64_t amount) { return QuantityText(resource, amount); };
    WeekOfUse::Resource& of = said.resources.emplace_back();
    static_cast<ResourceUse&>(of) = UseOf(placement.usage().Use(node, r, now), resource, now);
    of.resource = each.name;
    of.sum_of_peaks = text(each.sum_of_peaks);
    of.peak_of_sum = text(each.peak_of_sum);
    of.peak_slot = SlotText(each.peak_slot, options, now);
    of.system = text(each.system);
    if (each.reserved > 0) of.reserved = text(each.reserved);
    of.estimates = text(each.estimates);
    for (const auto& pod : each.pods) of.pods.push_back({pod.key, pod.workload, text(pod.peak), pod.measured});
    of.curve.assign(each.curve.begin(), each.curve.end());
  }
  return said;
}

std::string_view WhyNoUsage(const placement::Options& options) {
  return placement::LooksAtUsage(options)
             ? "usage.resources is empty: name there what is to be looked at, such as cpu and memory"
             : "nobody looks at usage: put usage into filter.checks, or LeastUsed or Balanced into prioritize.terms";
}

}  // namespace huygens::admin
