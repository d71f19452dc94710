#include "oversight/usage_watch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "admin/usage_json.h"
#include "base/duration_text.h"
#include "base/millionths.h"

namespace huygens::oversight {

namespace {

constexpr usage::MetricState kStates[] = {usage::MetricState::kFresh, usage::MetricState::kStale,
                                          usage::MetricState::kAbsent};

// Of the resources with a ceiling, or of all if none has one, the one least known.
usage::MetricState StateOf(const usage::Account& usage, cluster::NodeIndex node, Time now) {
  const auto& resources = usage.options().resources;
  if (resources.empty()) return usage::MetricState::kAbsent;
  auto has_ceiling = [](const usage::ResourceOptions& resource) { return resource.ceiling.has_value(); };
  const bool any = std::any_of(resources.begin(), resources.end(), has_ceiling);
  auto state = usage::MetricState::kFresh;
  for (size_t r = 0; r < resources.size(); ++r) {
    if (!any || has_ceiling(resources[r])) state = std::max(state, usage.State(node, r, now));
  }
  return state;
}

// Names of those that the check leaves out: "cpu, memory".
std::string NamesOf(const usage::Account& usage, usage::ResourceMask resources) {
  std::string names;
  for (size_t r = 0; r < usage.options().resources.size(); ++r) {
    if (resources[r]) names += Concat(names.empty() ? "" : ", ", usage.options().resources[r].name);
  }
  return names;
}

// Those with a ceiling, which alone can refuse anything.
usage::ResourceMask ReportedOnly(const usage::Account& usage) {
  usage::ResourceMask mask = usage.ShortHistory();
  for (size_t r = 0; r < usage.options().resources.size(); ++r) {
    if (!usage.options().resources[r].ceiling) mask.reset(r);
  }
  return mask;
}

// Of the one that has least: "195m of 1d".
std::string LeastHistory(const usage::Account& usage, usage::ResourceMask resources) {
  Duration least = usage.options().min_history;
  for (size_t r = 0; r < usage.options().resources.size(); ++r) {
    if (resources[r]) least = std::min(least, usage.HistoryOf(r));
  }
  return Concat(DurationText(least), " of ", DurationText(usage.options().min_history));
}

}  // namespace

void UsageWatch::TellOfHistory(const usage::Account& usage) {
  if (usage.displaced() > 0 && !std::exchange(displaced_, true)) {
    context_.log.Warn("usage.maxWorkloads are remembered: those that nobody runs give way, or new ones have no history",
                      {{"workloads", std::to_string(usage.workloads())}});
  }
  const usage::ResourceMask mask = ReportedOnly(usage);
  if (mask == short_) return;
  short_ = mask;
  if (mask.any()) {
    context_.log.Warn("check usage refuses nothing yet: too little was measured",
                      {{"resources", NamesOf(usage, mask)}, {"history", LeastHistory(usage, mask)}});
  } else {
    context_.log.Info("check usage has enough history", {});
  }
}

void UsageWatch::EverySecond() {
  if (!context_.placement.ChecksUsage() || !context_.not_ready().empty()) return;
  const usage::Account& usage = context_.placement.usage();
  const Time now = context_.clock.Now();
  TellOfHistory(usage);
  const usage::ResourceMask aside = usage.SteppingAside(now);
  if (aside == aside_) return;
  aside_ = aside;
  const std::string share = MillionthsText(usage.StaleShare(now));
  const std::string most = MillionthsText(usage.options().max_stale_nodes);
  if (aside.any()) {
    context_.log.Warn("check usage steps aside: too many nodes have no fresh usage data",
                      {{"resources", NamesOf(usage, aside)}, {"staleShare", share}, {"maxStaleNodes", most}});
  } else {
    context_.log.Info("check usage is back", {{"staleShare", share}, {"maxStaleNodes", most}});
  }
}

void UsageWatch::RefreshMetrics() {
  const placement::Placement& placement = context_.placement;
  const usage::Account& usage = placement.usage();
  const auto& resources = usage.options().resources;
  const Time now = context_.clock.Now();
  // Nodes of a kind that no label names count together, as the last.
  std::array<std::array<size_t, std::size(kStates)>, std::size(observe::kNodeTopologies) + 1> nodes{};
  std::array<std::array<size_t, std::size(observe::kHotWhen)>, usage::kMaxResources> hot{};
  for (cluster::NodeIndex node = 0; node < placement.state().NodeSlots(); ++node) {
    if (placement.state().GetNode(node) == nullptr) continue;
    const auto topology = std::ranges::find(observe::kNodeTopologies, placement.Zones(node).Name(node));
    ++nodes[static_cast<size_t>(topology - std::begin(observe::kNodeTopologies))]
           [static_cast<size_t>(StateOf(usage, node, now))];
    for (size_t r = 0; r < resources.size(); ++r) {
      const usage::NodeUse use = usage.Use(node, r, now);
      hot[r][0] += use.ceiling && use.state == usage::MetricState::kFresh && use.now > *use.ceiling;
      hot[r][1] += use.ceiling && use.measured_peak > *use.ceiling;
    }
  }
  for (size_t t = 0; t < nodes.size(); ++t) {
    const auto topology = t < std::size(observe::kNodeTopologies) ? observe::kNodeTopologies[t] : "other";
    for (const usage::MetricState state : kStates) {
      context_.metrics.SetNodes(topology, admin::Name(state), nodes[t][static_cast<size_t>(state)]);
    }
  }
  for (size_t r = 0; r < resources.size(); ++r) {
    const auto measured = usage.Measured(r);
    // By the wall clock, unlike other ages: samples bear its time and no other, and what counts as stale goes by it,
    // too. What a wrong clock measured in the future is no news either.
    context_.metrics.SetUsageAge(resources[r].name,
                                 measured ? std::chrono::duration<double>(std::chrono::abs(now - *measured)).count()
                                          : std::numeric_limits<double>::infinity());
    context_.metrics.SetUsageHistory(resources[r].name, usage.HistoryOf(r),
                                     placement.ChecksUsage() && ReportedOnly(usage)[r]);
    for (size_t w = 0; w < hot[r].size(); ++w) {
      context_.metrics.SetHotNodes(resources[r].name, observe::kHotWhen[w], hot[r][w]);
    }
  }
  context_.metrics.SetUsageWorkloads(usage.workloads(), usage.displaced());
  context_.metrics.SetUsageStale(static_cast<double>(usage.StaleShare(now)) / usage::kMillion,
                                 placement.ChecksUsage() && usage.SteppingAside(now).any());
}

std::optional<observe::Readiness::Item> UsageWatch::Describe() const {
  const usage::Account& usage = context_.placement.usage();
  if (usage.options().resources.empty()) return std::nullopt;
  const Time now = context_.clock.Now();
  const usage::ResourceMask aside = context_.placement.ChecksUsage() ? usage.SteppingAside(now) : usage::ResourceMask();
  const auto reported = context_.placement.ChecksUsage() ? ReportedOnly(usage) : usage::ResourceMask();
  std::string prefix = aside.any() ? Concat("check steps aside for ", NamesOf(usage, aside), ": ") : "";
  if (reported.any()) {
    prefix = Concat("check refuses nothing yet for ", NamesOf(usage, reported), ": ", LeastHistory(usage, reported),
                    " of history (usage.minHistory); ", prefix);
  }
  return observe::Readiness::Item{
      .ok = true,
      .warning = aside.any() || reported.any(),
      .name = "usage",
      .detail = Concat(prefix, "share of nodes without fresh figures: ", MillionthsText(usage.StaleShare(now)))};
}

}  // namespace huygens::oversight
