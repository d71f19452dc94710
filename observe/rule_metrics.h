// The metrics of objects that SchedulingRules are for, as they are written (`huygens webhook`). Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace prometheus {
class Registry;
}

namespace huygens::observe {

inline constexpr std::string_view kRuledKinds[] = {"Pod", "Controller", "Node", "NodeStatus"};
inline constexpr std::string_view kRuleResults[] = {"changed", "would_change", "as_it_is",
                                                    "none",    "not_ready",    "unreadable"};
inline constexpr std::string_view kRuleVerdicts[] = {"applied", "would_apply", "only_conflicts", "nothing_here"};

class RuleMetrics {
 public:
  // For the files of observe/: registers them.
  explicit RuleMetrics(prometheus::Registry& registry);
  ~RuleMetrics();

  void Written(std::string_view kind, std::string_view result);
  // Of an object that the rule was for. Rules are made by administrators alone, and the series of one that is gone goes.
  void Judged(std::string_view rule, std::string_view verdict, size_t conflicts);
  void SetRules(const std::vector<std::string_view>& usable, size_t broken);
  // Of rules on their way into the cluster.
  void RuleAsked(bool allowed);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace huygens::observe
