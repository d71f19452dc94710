// The trace's rules of which applications disturb each other. They are kube-scheduler's matter (pod anti-affinity), not
// huygens': in a replay the machines they rule out are not offered to it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "replay/trace.h"

namespace huygens::replay {

class AntiAffinity {
 public:
  explicit AntiAffinity(const Trace& trace);

  // Machines, by number, that must not get another instance of `app`; may name one twice.
  std::vector<uint32_t> ForbiddenFor(uint32_t app) const;
  void Place(uint32_t app, uint32_t machine);

 private:
  uint32_t CountOn(uint32_t machine, uint32_t app) const;

  const Trace& trace_;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> limited_by_;  // by application: (the one that limits it, k)
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> on_;          // by application: (machine, instances)
};

}  // namespace huygens::replay
