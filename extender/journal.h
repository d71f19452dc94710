// Remembers what was decided and why: the last decisions in memory for `huygens explain`, a sample in the decision log,
// and the counts of rejected nodes. Decision thread only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "extender/extender_args.h"
#include "observe/decision_log.h"
#include "observe/decision_ring.h"
#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::extender {

class Journal {
 public:
  Journal(const placement::Placement& placement, const ResourceNames& resources, observe::Metrics& metrics,
          observe::DecisionRing& ring, observe::DecisionLog& log);

  void Filter(const cluster::Pod& pod, std::span<const std::string_view> nodes, const placement::FilterAnswer& answer,
              Time now);
  void Prioritize(const cluster::Pod& pod, std::span<const std::string_view> nodes, std::span<const int64_t> scores,
                  std::span<const placement::TermScores> terms, Time now);
  void Preempt(const cluster::Pod& pod, std::span<const placement::PreemptionCandidate> candidates,
               std::span<const placement::Preemption> decided, Time now);
  // `made`: what the node gave, or why it could not take the pod at the last moment; empty where nothing was decided.
  // `error`: what kube-scheduler was told.
  void Bind(const BindArgs& args, const placement::Reservation& made, std::string_view outcome, std::string_view error,
            Time now);

 private:
  void Add(const observe::Decision& decision);
  // `only_reported`: as what they would have rejected.
  void CountRejected(std::span<const policy::Reason> reasons, bool only_reported = false);

  const placement::Placement& placement_;
  const ResourceNames& resources_;
  observe::Metrics& metrics_;
  observe::DecisionRing& ring_;
  observe::DecisionLog& log_;
  observe::ReasonTexts reasons_;
  std::vector<std::string_view> checks_;                 // that are enforced
  std::shared_ptr<const observe::DecisionRecord> last_;  // of those that name nodes
};

}  // namespace huygens::extender
