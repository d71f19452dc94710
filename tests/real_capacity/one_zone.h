// A node "worker" with one zone of 8 CPUs, of which a source says how many are busy: offline_capacity = capacity - busy.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "real_capacity/plan.h"

namespace huygens::real_capacity {

struct OneZone {
  OneZone() {
    const auto names = FormulaNames(std::vector<std::string>{"busy"});
    rules.attributes.push_back(
        {.name = "offline_capacity", .formula = *Formula::Parse("capacity - busy", names), .vanished_after = 3});
  }

  void Pass(Duration time) { now += time; }
  void Say(double busy) {
    facts[0].Take({.status = absl::OkStatus(), .at = now, .facts = {{"worker", 0, busy}, {"other", 0, 1}}});
  }
  void SayOfOthers() { facts[0].Take({.status = absl::OkStatus(), .at = now, .facts = {{"other", 0, 1}}}); }
  void Fail() { facts[0].Take({.status = Unavailable("connection refused"), .at = now, .facts = {}}); }

  Plan Look() const { return PlanFor(rules, facts, "worker", {&zone, 1}, now, written); }
  Outcome Found() const {
    const Plan plan = Look();
    return plan.findings.empty() ? Outcome::kNothing : plan.findings[0].outcome;
  }
  // As the API server would: what huygens owned and does not say any more is gone.
  void Write() {
    const Plan plan = Look();
    if (!plan.write) return;
    std::erase_if(zone.attributes, [this](const auto& each) { return zone.ours.contains(each.first); });
    zone.ours.clear();
    if (!plan.zones.empty()) {
      for (const auto& each : plan.zones[0].attributes) {
        zone.attributes.push_back(each);
        zone.ours.insert(each.first);
      }
    }
    std::ranges::sort(zone.attributes);
    written = now;
  }
  std::string Stored() const {
    for (const auto& [name, text] : zone.attributes) {
      if (name == "offline_capacity") return text;
    }
    return "";
  }

  Time now = Time(std::chrono::hours(500'000));
  Rules rules;
  std::vector<QueryFacts> facts = {QueryFacts("busy", true)};
  ZoneState zone{.name = "node0", .capacity = 8000, .allocatable = 7000};
  std::optional<Time> written;
};

}  // namespace huygens::real_capacity
