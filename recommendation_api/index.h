// All recommendations that there are, by what they are of. Owned by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/text.h"
#include "base/time.h"
#include "recommend/decision.h"
#include "recommendation_api/recommendation.h"

namespace huygens::recommendation_api {

class RecommendationIndex {
 public:
  void Set(Recommendation recommendation);
  void Remove(std::string_view uid);

  size_t size() const { return by_uid_.size(); }
  // Null: there is none.
  const Recommendation* Find(const Target& target) const;
  void ForEach(absl::FunctionRef<void(const Recommendation&)> visit) const;

  // Of a pod that a workload makes (group, kind and name of the outermost controller; empty: none), the narrowest
  // recommendation that is effective by the policy: that of its name, of its workload, of its namespace. Where none is
  // effective the narrowest that there is; null: there is none.
  const Recommendation* For(std::string_view namespace_name, std::string_view group, std::string_view kind,
                            std::string_view workload, std::string_view pod, const recommend::PoolPolicy& policy,
                            Time now) const;

 private:
  TextMap<Recommendation> by_uid_;
  TextMap<std::string> uids_;  // by Target::Key
};

}  // namespace huygens::recommendation_api
