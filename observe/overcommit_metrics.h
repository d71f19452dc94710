// The metrics of pods whose requests are lowered when they are created (`huygens webhook`), and of what autoscalers are
// told of them (`huygens controller`). Any thread.
#pragma once

#include <memory>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace huygens::observe {

inline constexpr std::string_view kLoweringReasons[] = {
    "Applied",        "NoRecommendation", "RecommendationNotEffective",
    "PoolDisabled",   "OptedOut",         "QueryOnly",
    "GuaranteedKept", "NoPool",           "NotReady",
    "Unreadable"};
inline constexpr std::string_view kLoweringSources[] = {"none", "static", "dynamic"};
inline constexpr std::string_view kLoweredResources[] = {"cpu", "memory"};
inline constexpr std::string_view kFrontAnswers[] = {"passed", "scaled", "conflict", "failed"};

class OvercommitMetrics {
 public:
  // For the files of observe/: registers them.
  explicit OvercommitMetrics(prometheus::Registry& registry);
  ~OvercommitMetrics();

  void PodCreated(std::string_view reason);
  void RequestDecided(std::string_view resource, std::string_view source);
  void FrontAnswered(std::string_view how);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace huygens::observe
