// The filter seam: a check removes the nodes that cannot take the pod and says why. All nodes of a call at once, so
// that a check can walk arrays. Checks are pure: no I/O, no clock, no memory of their own. Decision thread only.
//
// Whether a refusal keeps the pod off or is only reported is not the check's business: it says Reject either way.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/time.h"
#include "cluster/state.h"
#include "policy/reason.h"
#include "quota/check.h"
#include "quota/node_model.h"
#include "topology/node_zones.h"
#include "usage/account.h"

namespace huygens::policy {

using cluster::NodeIndex;

// One pod and what was worked out about it once for all nodes.
struct PodQuery {
  PodQuery(const cluster::Pod& asking, Time at) : pod(asking), now(at) {}

  const cluster::Pod& pod;
  Time now;
  usage::Demand usage;                    // empty where nobody looks at usage
  quota::Verdict quota;                   // of its business group, whatever the node; fits where nobody asks
  quota::WantedModels models;             // that its labels name; none where nobody asks
  quota::VerdictsByModel quota_by_model;  // of its group, where it says more of nodes of some models

  // What the pod asks of the zones of nodes of this kind; null: nothing. Worked out when first asked for.
  const topology::PreparedPod* PreparedFor(const topology::NodeZones& kind) const;
  // What usage::Account::Share says of these nodes, node by node and of each by position in usage::Options::resources.
  // Worked out once for all terms, which are asked about the same nodes and with nothing placed in between; holds until
  // the next call. Not for checks: some are asked with pods placed or taken off in thought.
  std::span<const float> UsageShares(const usage::Account& account, std::span<const NodeIndex> nodes) const;

 private:
  struct Shares {
    std::vector<NodeIndex> nodes;
    std::vector<float> values;
  };
  mutable Shares shares_;
  mutable absl::InlinedVector<std::pair<const topology::NodeZones*, std::unique_ptr<topology::PreparedPod>>, 3>
      prepared_;
};

// What becomes of a check's refusals.
enum class CheckMode : uint8_t {
  kOff,      // nobody asks it
  kReport,   // they are counted and shown, and keep no pod off
  kEnforce,  // they keep pods off
};

// The nodes of a call, by position, and what became of each.
class Candidates {
 public:
  // Starts over with these nodes, enforcing; keeps its memory from call to call.
  void Reset(std::span<const NodeIndex> nodes);
  // Whose refusals follow, and what becomes of them: said by the core before it asks a check.
  void Begin(size_t check, CheckMode mode) {
    check_ = check;
    mode_ = mode;
  }
  // For a check whose grounds are too thin at the moment to keep a pod off by them: until it returns it only reports,
  // whatever its mode is.
  void OnlyReport() { mode_ = CheckMode::kReport; }

  size_t size() const { return nodes_.size(); }
  NodeIndex node(size_t position) const { return nodes_[position]; }
  std::span<const NodeIndex> nodes() const { return nodes_; }
  bool Rejected(size_t position) const { return reasons_[position] != Reason::kFits; }
  // The first reason stays; who only reports has one of its own.
  void Reject(size_t position, Reason reason) {
    if (Rejected(position)) return;
    if (mode_ == CheckMode::kEnforce) {
      reasons_[position] = reason;
    } else {
      Report(position, reason);
    }
  }
  Reason reason(size_t position) const { return reasons_[position]; }
  // What this check has reported, by position; empty: nothing. Holds for nodes that nobody has rejected, before or
  // since.
  std::span<const Reason> reports(size_t check) const {
    return check < reports_.size() ? std::span<const Reason>(reports_[check]) : std::span<const Reason>();
  }

 private:
  void Report(size_t position, Reason reason);

  std::vector<NodeIndex> nodes_;
  std::vector<Reason> reasons_;
  size_t check_ = 0;
  CheckMode mode_ = CheckMode::kEnforce;
  std::vector<std::vector<Reason>> reports_;  // by check, filled when it first reports
};

class Check {
 public:
  virtual ~Check() = default;
  // As in the configuration's `filter.checks`.
  virtual std::string_view name() const = 0;
  virtual void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const = 0;
};

}  // namespace huygens::policy
