#include "reports/usage_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/quantity.h"
#include "base/resource_alias.h"
#include "reports/table.h"

namespace huygens::reports {

namespace {

using admin_api::ResourceUse;
using admin_api::WeekOfUse;
using std::chrono::days;
using std::chrono::hours;

constexpr size_t kMostPods = 10;
constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kOver = "!";  // above the ceiling

std::string Percent(std::optional<double> share) {
  if (!share) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", *share * 100);
  return text;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return upper;
}

std::string StateText(const ResourceUse& use) {
  return use.age_seconds ? Concat(use.state, " (", std::to_string(*use.age_seconds), "s)") : use.state;
}

// What the pods request stands for what is not measured.
std::string PeakText(std::string_view peak, const ResourceUse& use) {
  return Concat(peak, use.state == "fresh" || peak.empty() ? "" : " (requests)");
}

// Bytes with one decimal, "56.6Gi"; anything else as it is.
std::string AmountText(std::string_view resource, const std::string& quantity) {
  const std::string_view name = ResourceOf(resource);
  const auto parsed = Quantity::Parse(quantity);
  if (!parsed.ok() || !(name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-"))) {
    return quantity;
  }
  const auto bytes = static_cast<double>(parsed->Value());
  constexpr double kMi = 1 << 20, kGi = 1 << 30;
  if (std::abs(bytes) < kMi) return quantity;
  char text[32];
  const bool large = std::abs(bytes) >= kGi;
  std::snprintf(text, sizeof text, "%.1f", bytes / (large ? kGi : kMi));
  std::string_view number = text;
  if (number.ends_with(".0")) number.remove_suffix(2);
  return Concat(number, large ? "Gi" : "Mi");
}

std::string AmountOf(const admin_api::Amounts& amounts, std::string_view resource) {
  const auto found = std::ranges::find(amounts, resource, &admin_api::Amounts::value_type::first);
  return found == amounts.end() ? "" : found->second;
}

// In the unit of the curve: milli-cores, bytes or units.
double Base(std::string_view resource, const std::string& quantity) {
  const auto parsed = Quantity::Parse(quantity);
  if (!parsed.ok()) return 0;
  return static_cast<double>(resource == "cpu" ? parsed->MilliValue() : parsed->Value());
}

std::string_view Bar(double value, double full) {
  if (full <= 0) return kBars[0];
  if (value > full) return kOver;
  return kBars[static_cast<size_t>(std::ceil(value / full * (kBars.size() - 1)))];
}

// The highest use in the hour that begins then.
double HighestIn(const std::vector<int64_t>& curve, Time begin, Duration slot) {
  double highest = 0;
  const auto slots = static_cast<int64_t>(curve.size());
  for (int64_t at = begin.time_since_epoch() / slot; at * slot < (begin + hours(1)).time_since_epoch(); ++at) {
    highest = std::max(highest, static_cast<double>(curve[static_cast<size_t>((at % slots + slots) % slots)]));
  }
  return highest;
}

void AppendWeek(std::string& text, const WeekOfUse::Resource& use, Duration slot, Time now) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto highest = static_cast<double>(*std::max_element(use.curve.begin(), use.curve.end()));
  const double full = use.ceiling.empty() ? highest : Base(use.resource, use.ceiling);
  const auto today = std::chrono::floor<days>(now);
  const auto monday = today - (std::chrono::weekday(today) - std::chrono::Monday);
  for (int day = 0; day < 7; ++day) {
    // The last time that it was that day: hours of today that are to come show the week before.
    auto date = monday + days(day);
    if (date > today) date -= days(7);
    text += Concat("  ", kDays[std::chrono::weekday(date).c_encoding()], " |");
    for (int hour = 0; hour < 24; ++hour) text += Bar(HighestIn(use.curve, Time(date) + hours(hour), slot), full);
    text += "|\n";
  }
  text += "       0     6     12    18\n";
}

void AppendPods(std::string& text, const WeekOfUse::Resource& use) {
  if (use.pods.empty()) return;
  Table table({"  POD", "PEAK", "FROM"});
  for (size_t i = 0; i < std::min(kMostPods, use.pods.size()); ++i) {
    const WeekOfUse::Pod& pod = use.pods[i];
    table.AddRow({Concat("  ", pod.pod), AmountText(use.resource, pod.peak),
                  pod.measured ? Concat("history of ", pod.workload) : "requests and limits: no history yet"});
  }
  text += table.Text();
  if (use.pods.size() > kMostPods) text += Concat("  and ", std::to_string(use.pods.size() - kMostPods), " more\n");
}

// Where no pod is small enough for the ceiling.
std::string OwnUseLine(const WeekOfUse::Resource& use) {
  if (use.state != "fresh" || use.ceiling.empty() || use.system.empty()) return "";
  const double own = Base(use.resource, use.system) - Base(use.resource, use.reserved);
  if (own <= Base(use.resource, use.ceiling)) return "";
  return Concat("  ! no pod fits: what runs beside pods used ", AmountText(use.resource, use.system),
                use.reserved.empty() ? std::string()
                                     : Concat(", for which ", AmountText(use.resource, use.reserved), " are set apart"),
                "; find it, or raise the ceiling (usage.resources, or the annotation huygens.dev/usage-ceilings)\n");
}

}  // namespace

std::string UsageTopText(const admin_api::UsageTopDocument& top, std::string_view size) {
  std::string text = Concat(std::to_string(top.nodes), " nodes, those with the highest weekly peak of ", top.by,
                            " first; check usage: ",
                            top.check == "stepsAside"    ? "steps aside"
                            : top.check == "reportsOnly" ? "only reports (/readyz?verbose says why)"
                                                         : top.check,
                            "; ", Percent(top.stale_share), " of the nodes without fresh figures\n");
  if (top.fits) text += Concat(std::to_string(*top.fits), " more pods of ", size, " fit on all nodes together\n");
  if (top.top.empty()) return text;
  std::vector<std::string> head = {"NODE"};
  for (const auto& each : top.top.front().usage) {
    const std::string name = Upper(each.first);
    for (std::string_view column : {" NOW", " PEAK", " HEADROOM"}) head.push_back(Concat(name, column));
  }
  for (std::string_view column : {"CPU UNREQUESTED", "MEMORY UNREQUESTED", "FIGURES"}) head.emplace_back(column);
  if (top.fits) head.emplace_back("FITS");
  Table table(std::move(head));
  for (const admin_api::UsageTopDocument::Node& node : top.top) {
    std::vector<std::string> row = {node.name};
    std::string state;
    for (const auto& [resource, use] : node.usage) {
      row.insert(row.end(),
                 {Percent(use.now_share), PeakText(Percent(use.peak_share), use), AmountText(resource, use.headroom)});
      if (resource == top.by) state = StateText(use);
    }
    row.insert(row.end(),
               {AmountOf(node.unrequested, "cpu"), AmountText("memory", AmountOf(node.unrequested, "memory")), state});
    if (node.fits) row.push_back(std::to_string(*node.fits));
    table.AddRow(std::move(row));
  }
  return text + table.Text();
}

std::string NodeUseText(const admin_api::NodeDocument& node, Time now) {
  std::string text;
  if (!node.kubelet.empty()) {
    Table table({"  ASSUMED OF KUBELET", "VALUE", "FROM"});
    for (const admin_api::NodeDocument::Setting& each : node.kubelet) {
      table.AddRow({Concat("  ", each.name), each.value, each.from == "object" ? "topology object" : each.from});
    }
    text += Concat(table.Text(), "\n");
  }
  if (!node.usage || node.usage->resources.empty()) return text + node.no_usage + "\n";
  bool drawn = false;
  for (const WeekOfUse::Resource& use : node.usage->resources) {
    text +=
        Concat(&use != &node.usage->resources.front() ? "\n" : "", "use of ", use.resource, ": ", StateText(use), "\n");
    Table table(
        {"  CAPACITY", "CEILING", "HEADROOM", "NOW", "PEAK", "AT (UTC)", "PEAK OF SUM", "SUM OF PEAKS", "SYSTEM"});
    const auto amount = [&use](const std::string& quantity) { return AmountText(use.resource, quantity); };
    table.AddRow({Concat("  ", use.capacity.empty() ? "-" : amount(use.capacity)), amount(use.ceiling),
                  amount(use.headroom), Concat(amount(use.now), use.now_share ? " " : "", Percent(use.now_share)),
                  PeakText(Concat(amount(use.peak), use.peak_share ? " " : "", Percent(use.peak_share)), use),
                  use.peak_slot, amount(use.peak_of_sum), amount(use.sum_of_peaks), amount(use.system)});
    text += Concat(table.Text(), OwnUseLine(use));
    const Duration slot = std::chrono::seconds(node.usage->slot_seconds);
    const bool measured = std::ranges::any_of(use.curve, [](int64_t value) { return value != 0; });
    if (!measured) text += "  no use was measured in this week\n";
    if (measured && slot > Duration::zero()) {
      AppendWeek(text, use, slot, now);
      drawn = true;
    }
    AppendPods(text, use);
  }
  if (drawn) {
    text +=
        "\nA bar is the highest use of its hour: █ at the ceiling, ! above it; without a ceiling █ is the week's "
        "highest.\n";
  }
  return text;
}

}  // namespace huygens::reports
