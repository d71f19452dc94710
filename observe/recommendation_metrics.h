// The metrics of recommendations, which are there only where they are made: their series begin with the first scrape. Pools
// are those of the configuration, and "" for pods that are in none. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Registry;
}

namespace huygens::observe {

struct RecommendationCounts {
  // What a pool's pods used, and ask for, at the last scan; cores or bytes.
  struct Pool {
    std::string pool, resource;  // "cpu", "memory"
    double used = 0, requested = 0, original = 0;
    uint64_t samples = 0, exceeded = 0;  // ever since; exceeded: above what was asked for
  };
  std::vector<Pool> pools;
  uint64_t applied = 0, effective = 0, young = 0, unready = 0;  // recommendations now
  uint64_t scans = 0, failed_namespaces = 0, samples = 0, left_out = 0;
  double scan_seconds = 0;  // the last one
  uint64_t checkpoints = 0, statuses = 0, deleted = 0;
};

// Of running pods that are lowered in place.
struct ResizeCounts {
  uint64_t lowered = 0, kept = 0, refused = 0, failed = 0;
};

class RecommendationMetrics {
 public:
  // For the files of observe/: registers them.
  explicit RecommendationMetrics(prometheus::Registry& registry);
  ~RecommendationMetrics();
  void Set(const RecommendationCounts& totals);
  void Set(const ResizeCounts& totals);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace huygens::observe
