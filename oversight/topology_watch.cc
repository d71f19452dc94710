#include "oversight/topology_watch.h"

#include <algorithm>
#include <utility>

#include "base/duration_text.h"

namespace huygens::oversight {

namespace {

constexpr size_t kMostNames = 3;
constexpr std::string_view kReason = "TopologyLost";

}  // namespace

std::string TopologyWatch::Names(std::span<const cluster::NodeIndex> nodes) const {
  std::string names;
  for (cluster::NodeIndex node : nodes.first(std::min(kMostNames, nodes.size())))
    names += Concat(names.empty() ? "" : ",", context_.placement.state().NodeName(node));
  return nodes.size() > kMostNames ? names + ",..." : names;
}

void TopologyWatch::EverySecond(Duration now) {
  const std::string grace = DurationText(context_.placement.options().topology.loss_grace);
  const cluster::State& state = context_.placement.state();
  const cluster::State::Losses losses = context_.placement.AgeLosses(now);
  longest_ = losses.longest;
  const size_t before = std::exchange(lost_, state.LostTopologies());
  if (!losses.begun.empty()) {
    context_.log.Warn("topology objects are gone while their nodes are not; pods that need zones wait there",
                      {{"nodes", losses.begun.size()}, {"names", Names(losses.begun)}, {"lossGrace", grace}});
  }
  for (cluster::NodeIndex index : losses.begun) {
    const cluster::Node* node = state.GetNode(index);
    if (node == nullptr) continue;
    const std::string text =
        Concat("its NodeResourceTopology is gone while the node is not: pods that need NUMA zones wait until it is ",
               "back, or for ", grace, " (topology.lossGrace)");
    warn_(*node, {.reason = kReason, .message = text, .repeat_key = kReason});
  }
  if (!losses.given_up.empty()) {
    context_.log.Warn("nodes without their topology object for too long count as nodes without topology now",
                      {{"nodes", losses.given_up.size()}, {"names", Names(losses.given_up)}, {"lossGrace", grace}});
  } else if (before > 0 && lost_ == 0) {
    context_.log.Info("no topology object is missing any more");
  }
}

void TopologyWatch::RefreshMetrics() {
  context_.metrics.SetLostTopologies(context_.placement.state().LostTopologies());
}

std::optional<observe::Readiness::Item> TopologyWatch::Describe() const {
  const size_t lost = context_.placement.state().LostTopologies();
  if (lost == 0) return std::nullopt;
  return observe::Readiness::Item{
      .ok = true,
      .warning = true,
      .name = "topology",
      .detail = Concat(std::to_string(lost), lost == 1 ? " node" : " nodes", " lost the topology object",
                       lost == 1 ? " " : ", the longest ", "for ", SecondsText(longest_), "; after ",
                       SecondsText(context_.placement.options().topology.loss_grace),
                       " such a node counts as one without topology")};
}

}  // namespace huygens::oversight
