#include "bench/checks.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "bench/cluster.h"
#include "bench/times.h"
#include "bench/usage.h"

namespace huygens::bench {
namespace {

constexpr int kCalls = 2000;

placement::Options AllChecks(policy::CheckMode usage, ResourceNames& names) {
  placement::Options options = WithUsage();
  options.resource_names = &names;
  options.checks = {"topology", {"usage", usage}, "quota"};
  return options;
}

void Lose(placement::Placement& placement, size_t nodes) {
  for (size_t n = 0; n < nodes; ++n) {
    placement.Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, NodeName(n)});
  }
}

}  // namespace

std::vector<Setting> Settings(size_t nodes, size_t pods, ResourceNames& names) {
  using policy::CheckMode;
  const auto nothing = [=](placement::Placement& placement, Time) { Fill(placement, nodes, pods); };
  const auto used = [=](Fullness fullness, size_t slots) {
    return [=](placement::Placement& placement, Time now) {
      Fill(placement, nodes, pods);
      FillUsage(placement, nodes, pods, fullness, now, slots);
    };
  };
  const auto lost = [=](size_t count) {
    return [=](placement::Placement& placement, Time) {
      Fill(placement, nodes, pods);
      Lose(placement, count);
    };
  };
  placement::Options young = AllChecks(CheckMode::kEnforce, names);
  young.usage.min_history = std::chrono::hours(24);
  return {
      {"topology alone", {}, nothing},
      {"all checks enforce, typical weeks", AllChecks(CheckMode::kEnforce, names), used(Fullness::kTypical, kWeek)},
      {"usage reports, typical weeks", AllChecks(CheckMode::kReport, names), used(Fullness::kTypical, kWeek)},
      {"all checks enforce, each node is full", AllChecks(CheckMode::kEnforce, names), used(Fullness::kFull, kWeek)},
      {"usage reports, each node is full", AllChecks(CheckMode::kReport, names), used(Fullness::kFull, kWeek)},
      {"usage with an hour of 24 measured, typical", young, used(Fullness::kTypical, 4)},
      {"usage with an hour of 24 measured, full", young, used(Fullness::kFull, 4)},
      {"topology alone, one object lost", {}, lost(1)},
      {"topology alone, half of the objects lost", {}, lost(nodes / 2)},
  };
}

void ReportChecks(size_t nodes, size_t pods) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < nodes; ++n) texts.push_back(NodeName(n));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const Time now(std::chrono::hours(24 * 365 * 50));
  const cluster::Pod asking = PodOf(TwinOf(pods));
  const auto filled = [&](const Setting& setting) {
    auto placement = *placement::Placement::Create(setting.options);
    setting.fill(*placement, now);
    return placement;
  };
  std::printf("checks, of %zu names, %d calls each in turns, without the network\n", nodes, kCalls);
  ResourceNames resources;
  const std::vector<Setting> settings = Settings(nodes, pods, resources);
  const auto base = filled(settings.front());
  for (const Setting& setting : settings) {
    const auto other = filled(setting);
    Times without, with;
    for (int i = 0; i < kCalls; ++i) {
      without.Add([&] { (void)base->Filter(asking, names, now); });
      with.Add([&] { (void)other->Filter(asking, names, now); });
    }
    std::printf("  %-46s topology alone: quick %6.1f, median %6.1f us  this: quick %6.1f, median %6.1f us\n",
                setting.name, without.At(0.1), without.Middle(), with.At(0.1), with.Middle());
  }
}

}  // namespace huygens::bench
