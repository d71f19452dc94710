#include "recommendation_api/object.h"

#include <algorithm>
#include <utility>

namespace huygens::recommendation_api {

uint64_t StableHash(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto at = std::ranges::find(conditions, type, &Condition::type);
  return at == conditions.end() ? nullptr : &*at;
}

void SetCondition(std::vector<Condition>& conditions, Condition condition, Time now) {
  // Kubernetes keeps whole seconds.
  condition.last_transition = std::chrono::floor<std::chrono::seconds>(now);
  const auto at = std::ranges::find(conditions, condition.type, &Condition::type);
  if (at == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (at->status == condition.status && at->last_transition) condition.last_transition = at->last_transition;
  *at = std::move(condition);
}

}  // namespace huygens::recommendation_api
