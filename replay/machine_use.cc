#include "replay/machine_use.h"

#include <algorithm>
#include <functional>

namespace huygens::replay {

namespace {

constexpr double kAllowedAbove = 0.001;  // cores

bool Above(double use, double limit) { return use > limit * (1 + 1e-9) + 1e-9; }

}  // namespace

MachineUse::MachineUse(const RebalanceState& state) : state_(state) { Count(state.on); }

void MachineUse::Count(const std::vector<std::optional<uint32_t>>& on) {
  use_.assign(state_.trace.machines.size() * kTraceResources.size() * kPoints, 0);
  apps_.assign(state_.trace.machines.size(), {});
  for (size_t i = 0; i < on.size(); ++i) {
    if (on[i]) Put(state_.trace.instances[i], *on[i]);
  }
}

void MachineUse::Change(uint32_t app, uint32_t machine, int sign) {
  for (size_t r = 0; r < kTraceResources.size(); ++r) {
    for (size_t p = 0; p < kPoints; ++p) At(machine, r, p) += sign * state_.trace.apps[app].use[r][p];
  }
  uint32_t& count = apps_[machine][app];
  count += static_cast<uint32_t>(sign);
  if (count == 0) apps_[machine].erase(app);
}

double MachineUse::Above(uint32_t machine, size_t point) const {
  return At(machine, kTraceCpu, point) - state_.cpu_ceiling * state_.trace.machines[machine].capacity[kTraceCpu] -
         kAllowedAbove;
}

size_t MachineUse::HotPoints(uint32_t machine) const {
  size_t points = 0;
  for (size_t p = 0; p < kPoints; ++p) points += Above(machine, p) > 1e-9 ? 1 : 0;
  return points;
}

bool MachineUse::Fits(uint32_t app, uint32_t machine, const std::vector<uint32_t>& more) const {
  const auto added = [&](size_t r, size_t p) {
    double sum = state_.trace.apps[app].use[r][p];
    for (uint32_t each : more) sum += state_.trace.apps[each].use[r][p];
    return sum;
  };
  for (size_t p = 0; p < kPoints; ++p) {
    if (Above(machine, p) + added(kTraceCpu, p) > 1e-9) return false;
  }
  for (size_t r = 1; r < kTraceResources.size(); ++r) {
    const double capacity = state_.trace.machines[machine].capacity[r];
    for (size_t p = 0; p < kPoints; ++p) {
      if (replay::Above(At(machine, r, p) + added(r, p), capacity)) return false;
    }
  }
  return true;
}

bool MachineUse::Keeps(uint32_t app, uint32_t machine, const std::vector<uint32_t>& more) const {
  const auto count_of = [&](uint32_t which) {
    const auto here = apps_[machine].find(which);
    const auto coming = static_cast<uint32_t>(std::ranges::count(more, which));
    return (here == apps_[machine].end() ? 0 : here->second) + coming;
  };
  for (auto [other, most] : state_.trace.apps[app].at_most) {
    if (count_of(other) + (other == app ? 1 : 0) > most) return false;
  }
  const auto lets = [&](uint32_t present) {
    return std::ranges::none_of(state_.trace.apps[present].at_most,
                                [&](const auto& rule) { return rule.first == app && count_of(app) + 1 > rule.second; });
  };
  return std::ranges::all_of(apps_[machine], [&](const auto& each) { return lets(each.first); }) &&
         std::ranges::all_of(more, lets);
}

namespace {

// Fewest of these curves, each from largest to smallest, that take away `above`; nothing: all do not.
std::optional<size_t> Fewest(const std::vector<const std::vector<double>*>& curves, const std::vector<double>& above) {
  const auto clears = [&](std::initializer_list<size_t> which) {
    for (size_t p = 0; p < kPoints; ++p) {
      double left = above[p];
      for (size_t each : which) left -= (*curves[each])[p];
      if (left > 1e-9) return false;
    }
    return true;
  };
  // At each point so many at least.
  size_t at_least = 1;
  for (size_t p = 0; p < kPoints; ++p) {
    if (above[p] <= 1e-9) continue;
    std::vector<double> here;
    here.reserve(curves.size());
    for (const auto* curve : curves) here.push_back((*curve)[p]);
    std::ranges::sort(here, std::greater<>());
    double left = above[p];
    size_t needed = 0;
    while (left > 1e-9 && needed < here.size()) left -= here[needed++];
    if (left > 1e-9) return std::nullopt;
    at_least = std::max(at_least, needed);
  }
  const size_t n = curves.size();
  if (at_least <= 1) {
    for (size_t a = 0; a < n; ++a) {
      if (clears({a})) return 1;
    }
  }
  if (at_least <= 2) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = a + 1; b < n; ++b) {
        if (clears({a, b})) return 2;
      }
    }
  }
  if (at_least <= 3) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = a + 1; b < n; ++b) {
        for (size_t c = b + 1; c < n; ++c) {
          if (clears({a, b, c})) return 3;
        }
      }
    }
  }
  return std::max<size_t>(at_least, 4);
}

}  // namespace

Bound FewestMoves(const RebalanceState& state, const MachineUse& use, bool movable) {
  const auto machines = static_cast<uint32_t>(state.trace.machines.size());
  std::vector<char> hot(machines);
  for (uint32_t m = 0; m < machines; ++m) hot[m] = use.IsHot(m) ? 1 : 0;
  std::map<uint32_t, bool> takes;  // by application: whether any machine that is not hot would take it
  const auto can_go = [&](uint32_t app) {
    const auto [known, is_new] = takes.emplace(app, false);
    for (uint32_t m = 0; is_new && m < machines && !known->second; ++m) {
      known->second = state.exists[m] && hot[m] == 0 && use.Takes(app, m);
    }
    return known->second;
  };
  Bound bound;
  for (uint32_t m = 0; m < machines; ++m) {
    if (hot[m] == 0) continue;
    std::vector<double> above(kPoints);
    for (size_t p = 0; p < kPoints; ++p) above[p] = use.Above(m, p);
    std::vector<const std::vector<double>*> curves;
    for (const auto& [app, count] : use.apps(m)) {
      if (!movable || can_go(app)) curves.insert(curves.end(), count, &state.trace.apps[app].use[kTraceCpu]);
    }
    const std::optional<size_t> fewest = Fewest(curves, above);
    bound.moves += fewest.value_or(0);
    bound.hopeless += fewest ? 0 : 1;
  }
  return bound;
}

}  // namespace huygens::replay
