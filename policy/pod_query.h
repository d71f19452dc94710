// One pod that is asked about, and what was worked out about it once for all nodes: kube-scheduler's CycleState. What
// that is the query does not know: each part keeps its own under its own address. Decision thread only.
#pragma once

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/time.h"
#include "cluster/objects.h"
#include "cluster/prepared.h"

namespace huygens::policy {

class PodQuery {
 public:
  // The pod must outlive this.
  PodQuery(const cluster::Pod& asking, Time at) : pod(asking), now(at) {}

  const cluster::Pod& pod;
  Time now;

  // What `prepare` returned, a unique_ptr to something Prepared, when first asked for `owner`. Whoever shares a result
  // passes the same address, and always with the same type, which is not checked; a rule passes its own for what only
  // it uses (policy/rule.h). Null is an answer, and allocates nothing.
  template <typename Prepare>
  auto* Once(const void* owner, Prepare prepare) const {
    using Kept = const typename decltype(prepare())::element_type;
    for (const auto& [of, prepared] : prepared_) {
      if (of == owner) return static_cast<Kept*>(prepared.get());
    }
    return static_cast<Kept*>(prepared_.emplace_back(owner, prepare()).second.get());
  }

 private:
  mutable absl::InlinedVector<std::pair<const void*, std::unique_ptr<cluster::Prepared>>, 12> prepared_;
};

}  // namespace huygens::policy
