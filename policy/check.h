// The filter seam: a check removes the nodes that cannot take the pod and says why. All nodes of a call at once, so
// that a check can walk arrays. What it may do and remember is what any rule may (policy/rule.h). Decision thread only.
//
// Whether a refusal keeps the pod off or is only reported is not the check's business: it says Reject either way.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/state.h"
#include "policy/pod_query.h"
#include "policy/reason.h"
#include "policy/rule.h"

namespace huygens::policy {

using cluster::NodeIndex;

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

class Check : public Rule {
 public:
  // `prepared` is what Prepare said of this pod. Asked about the nodes of a call at once, and perhaps several times.
  virtual void Run(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
                   Candidates& nodes) const = 0;
  // The same with what it has prepared.
  void Ask(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const {
    Run(pod, PreparedFor(pod, state), state, nodes);
  }
};

// A check that prepares a T, derived from cluster::Prepared, for each pod that it has anything to say of.
template <typename T>
class CheckWith : public Check {
 public:
  std::unique_ptr<cluster::Prepared> Prepare(const PodQuery& pod, const cluster::State& state) const final {
    return PrepareFor(pod, state);
  }
  void Run(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
           Candidates& nodes) const final {
    if (prepared != nullptr) RunWith(pod, static_cast<const T&>(*prepared), state, nodes);
  }

 protected:
  // Null: the pod passes on all nodes (kube-scheduler: Skip).
  virtual std::unique_ptr<T> PrepareFor(const PodQuery& pod, const cluster::State& state) const = 0;
  virtual void RunWith(const PodQuery& pod, const T& prepared, const cluster::State& state,
                       Candidates& nodes) const = 0;
};

}  // namespace huygens::policy
