// The metrics of moves (docs/metrics.md), which are there only where pods are moved or it is told what would be: their
// series begin with the first scrape. No pod, node or namespace is a label. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace prometheus {
class Registry;
}

namespace huygens::observe {

struct MoveTotals {
  template <typename Value>
  using By = std::map<std::string, Value, std::less<>>;

  std::map<std::pair<std::string, std::string>, uint64_t> moves;  // that ended, by cause and outcome
  By<uint64_t> landings;                                          // of replacements: target, elsewhere, source
  By<uint64_t> evictions;                                         // by code of the answer; "none": there was none
  By<std::pair<uint64_t, double>> stages;                         // how many, and their seconds in all
  By<uint64_t> limits;                                            // how often each has held a move back
  By<int64_t> in_flight, queue;                                   // now, by phase, and by cause
  uint64_t plans = 0;
  double plan_seconds = 0;
  int64_t hot_nodes = 0, unrecovered = 0;
  bool breaker_open = false, leads = false;
};

class MoveMetrics {
 public:
  // For the files of observe/: registers them.
  explicit MoveMetrics(prometheus::Registry& registry);
  ~MoveMetrics();
  void Set(const MoveTotals& totals);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace huygens::observe
