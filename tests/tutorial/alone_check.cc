// Check "alone", for tests: where a pod is no other goes. It has an account, and asks for nothing else.
#include <algorithm>
#include <vector>

#include "policy/registry.h"

namespace huygens::policy {

namespace {

class PodsThere final : public cluster::Account {
 public:
  bool AnyOn(NodeIndex node) const { return node < on_.size() && on_[node] > 0; }

  void Place(const cluster::PlacedPod& pod) override { ++At(pod.node); }
  void Leave(const cluster::PlacedPod& pod) override { --At(pod.node); }
  void NodeChanged(NodeIndex, const cluster::NodeTopology*) override {}
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override {
    return std::exchange(At(node), static_cast<int64_t>(pods.size())) != static_cast<int64_t>(pods.size());
  }

 private:
  int64_t& At(NodeIndex node) {
    on_.resize(std::max<size_t>(on_.size(), node + 1));
    return on_[node];
  }

  std::vector<int64_t> on_;  // by node
};

class AloneCheck final : public Check {
 public:
  std::string_view name() const override { return "alone"; }
  cluster::Account* account() override { return &pods_; }
  void Run(const PodQuery&, const cluster::Prepared*, const cluster::State&, Candidates& nodes) const override {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (pods_.AnyOn(nodes.node(i))) nodes.Reject(i, Reason::kInsufficientZones);
    }
  }

 private:
  PodsThere pods_;
};

}  // namespace

CheckEntry AloneEntry() {
  return {.name = "alone",
          .make = [](const Sources&) -> std::unique_ptr<Check> { return std::make_unique<AloneCheck>(); }};
}

}  // namespace huygens::policy
