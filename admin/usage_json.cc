#include "admin/usage_json.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "admin/debug_json.h"
#include "base/json_text.h"

namespace huygens::admin {

namespace {

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

void AppendShare(std::string& out, std::string_view key, int64_t amount, int64_t capacity) {
  out += Concat(",\"", key, "\":");
  AppendJsonDouble(out, std::round(1000 * static_cast<double>(amount) / static_cast<double>(capacity)) / 1000);
}

void AppendQuantity(std::string& out, std::string_view key, ResourceId resource, int64_t amount) {
  out += Concat(",\"", key, "\":\"", QuantityText(resource, amount), "\"");
}

// Without braces.
void AppendUseFields(std::string& out, const usage::NodeUse& use, ResourceId resource, Time now) {
  out += Concat("\"state\":\"", Name(use.state), "\"");
  if (use.measured) {
    out += ",\"ageSeconds\":";
    AppendJsonInt(out, std::chrono::floor<std::chrono::seconds>(now - *use.measured).count());
  }
  if (use.capacity > 0) AppendQuantity(out, "capacity", resource, use.capacity);
  if (use.ceiling) AppendQuantity(out, "ceiling", resource, *use.ceiling);
  const bool fresh = use.state == usage::MetricState::kFresh;
  if (fresh) AppendQuantity(out, "now", resource, use.now);
  AppendQuantity(out, "peak", resource, use.peak);
  if (fresh && use.measured_peak < use.peak) AppendQuantity(out, "measuredPeak", resource, use.measured_peak);
  if (fresh && use.capacity > 0) AppendShare(out, "nowShare", use.now, use.capacity);
  if (use.capacity > 0) AppendShare(out, "peakShare", use.peak, use.capacity);
  if (use.ceiling) AppendQuantity(out, "headroom", resource, *use.ceiling - use.peak);
}

// When a slot of the window was last: "Wed 14:15", UTC.
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

void AppendFigures(std::string& out, const usage::NodeFigures& figures, ResourceId resource,
                   const usage::Options& options, Time now) {
  AppendQuantity(out, "sumOfPeaks", resource, figures.sum_of_peaks);
  AppendQuantity(out, "peakOfSum", resource, figures.peak_of_sum);
  out += Concat(",\"peakSlot\":\"", SlotText(figures.peak_slot, options, now), "\"");
  AppendQuantity(out, "system", resource, figures.system);
  if (figures.reserved > 0) AppendQuantity(out, "reserved", resource, figures.reserved);
  AppendQuantity(out, "estimates", resource, figures.estimates);
  out += ",\"pods\":[";
  for (const auto& pod : figures.pods) {
    out += out.back() == '[' ? "{\"pod\":" : ",{\"pod\":";
    AppendJsonString(out, pod.key);
    out += ",\"workload\":";
    AppendJsonString(out, pod.workload);
    AppendQuantity(out, "peak", resource, pod.peak);
    out += pod.measured ? ",\"measured\":true}" : ",\"measured\":false}";
  }
  out += "],\"curve\":[";
  for (int64_t value : figures.curve) {
    if (out.back() != '[') out += ',';
    AppendJsonInt(out, value);
  }
  out += ']';
}

}  // namespace

void AppendUse(std::string& out, const usage::NodeUse& use, ResourceId resource, Time now) {
  out += '{';
  AppendUseFields(out, use, resource, now);
  out += '}';
}

void AppendUsage(std::string& out, const placement::Placement& placement, cluster::NodeIndex node,
                 std::span<const usage::NodeFigures> figures, Time now) {
  const usage::Options& options = placement.usage().options();
  out += ",\"usage\":{\"slotSeconds\":";
  AppendJsonInt(out, std::chrono::floor<std::chrono::seconds>(options.slot).count());
  out += ",\"resources\":[";
  for (size_t r = 0; r < figures.size(); ++r) {
    const ResourceId resource = options.resources[r].resource;
    out += r == 0 ? "{\"resource\":" : ",{\"resource\":";
    AppendJsonString(out, figures[r].name);
    out += ',';
    AppendUseFields(out, placement.usage().Use(node, r, now), resource, now);
    AppendFigures(out, figures[r], resource, options, now);
    out += '}';
  }
  out += "]}";
}

std::string_view WhyNoUsage(const placement::Options& options) {
  return placement::LooksAtUsage(options)
             ? "usage.resources is empty: name there what is to be looked at, such as cpu and memory"
             : "nobody looks at usage: put usage into filter.checks, or LeastUsed or Balanced into prioritize.terms";
}

}  // namespace huygens::admin
