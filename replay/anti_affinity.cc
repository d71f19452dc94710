#include "replay/anti_affinity.h"

#include <algorithm>

namespace huygens::replay {

AntiAffinity::AntiAffinity(const Trace& trace) : trace_(trace), limited_by_(trace.apps.size()), on_(trace.apps.size()) {
  for (uint32_t app = 0; app < trace.apps.size(); ++app) {
    for (auto [other, most] : trace.apps[app].at_most) limited_by_[other].emplace_back(app, most);
  }
}

std::vector<uint32_t> AntiAffinity::ForbiddenFor(uint32_t app) const {
  std::vector<uint32_t> forbidden;
  for (auto [present, most] : limited_by_[app]) {
    for (auto [machine, count] : on_[present]) {
      if (CountOn(machine, app) + 1 > most) forbidden.push_back(machine);
    }
  }
  for (auto [other, most] : trace_.apps[app].at_most) {
    for (auto [machine, count] : on_[other]) {
      if (count > most) forbidden.push_back(machine);
    }
  }
  return forbidden;
}

void AntiAffinity::Place(uint32_t app, uint32_t machine) {
  auto here = std::find_if(on_[app].begin(), on_[app].end(), [=](const auto& each) { return each.first == machine; });
  if (here == on_[app].end()) here = on_[app].insert(here, {machine, 0});
  ++here->second;
}

uint32_t AntiAffinity::CountOn(uint32_t machine, uint32_t app) const {
  for (auto [where, count] : on_[app]) {
    if (where == machine) return count;
  }
  return 0;
}

}  // namespace huygens::replay
