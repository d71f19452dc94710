#include "recommendation_api/index.h"

#include <utility>

namespace huygens::recommendation_api {

void RecommendationIndex::Set(Recommendation recommendation) {
  const std::string uid = recommendation.metadata.uid;
  Remove(uid);
  uids_.insert_or_assign(recommendation.target.Key(), uid);
  by_uid_.insert_or_assign(uid, std::move(recommendation));
}

void RecommendationIndex::Remove(std::string_view uid) {
  const auto at = by_uid_.find(uid);
  if (at == by_uid_.end()) return;
  const auto key = uids_.find(at->second.target.Key());
  if (key != uids_.end() && key->second == uid) uids_.erase(key);
  by_uid_.erase(at);
}

const Recommendation* RecommendationIndex::Find(const Target& target) const {
  const auto uid = uids_.find(target.Key());
  if (uid == uids_.end()) return nullptr;
  return &by_uid_.find(uid->second)->second;
}

void RecommendationIndex::ForEach(absl::FunctionRef<void(const Recommendation&)> visit) const {
  for (const auto& [uid, recommendation] : by_uid_) visit(recommendation);
}

const Recommendation* RecommendationIndex::For(std::string_view namespace_name, std::string_view group,
                                               std::string_view kind, std::string_view workload, std::string_view pod,
                                               const recommend::PoolPolicy& policy, Time now) const {
  const std::string in(namespace_name);
  const Target targets[] = {{in, Dimension::kPod, "", "", std::string(pod)},
                            {in, Dimension::kWorkload, std::string(group), std::string(kind), std::string(workload)},
                            {in, Dimension::kNamespace, "", "", ""}};
  const Recommendation* narrowest = nullptr;
  for (const Target& target : targets) {
    if (target.dimension != Dimension::kNamespace && target.name.empty()) continue;
    const Recommendation* found = Find(target);
    if (found == nullptr || found->metadata.deletion_timestamp) continue;
    if (recommend::IsEffective(ModelOf(found->status, now), policy)) return found;
    if (narrowest == nullptr) narrowest = found;
  }
  return narrowest;
}

}  // namespace huygens::recommendation_api
