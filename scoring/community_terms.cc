#include "scoring/community_terms.h"

#include <algorithm>
#include <charconv>

#include "scoring/registry.h"

namespace huygens::scoring {

namespace {

constexpr std::string_view kAbout =
    "the strategies of the community's topology plugin, for nodes that its objects describe";

template <ZoneStrategy strategy>
std::unique_ptr<Term> MakeStrategy(const Sources& from) {
  return std::make_unique<ZoneStrategyTerm>(strategy, from.weights, from.nodes, from.kubelet);
}

}  // namespace

void CommunityTerm::Score(const PodQuery& query, const cluster::Prepared*, const cluster::State& state,
                          std::span<const NodeIndex> nodes, std::span<float> scores) const {
  const CommunityPod pod = CommunityPodOf(query.pod);
  CommunityZones zones;
  for (size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = 0;
    const kubelet::Machine* published = kubelet_.Published(nodes[i]);
    if (!published && nodes_.Of(nodes[i]).ReadsResult(nodes[i])) {
      scores[i] = kNoOpinion;
    } else if (!pod.guaranteed) {
      scores[i] = 1;
    } else if (published && Applies(published->options)) {
      const cluster::NodeTopology& topology = *state.Topology(nodes[i]);
      zones.Fill(topology, *published, kubelet_.Free(nodes[i]), pod.resources);
      scores[i] = static_cast<float>(NodeScore(pod, topology, published->options, zones)) / 100;
    }
  }
}

bool ZoneStrategyTerm::Applies(const kubelet::Options& options) const {
  return options.policy == kubelet::TopologyManagerPolicy::kSingleNumaNode;
}

int ZoneStrategyTerm::NodeScore(const CommunityPod& pod, const cluster::NodeTopology&, const kubelet::Options& options,
                                CommunityZones& zones) const {
  return StrategyScore(strategy_, pod, options.scope, zones, weights_);
}

int LeastNumaTerm::NodeScore(const CommunityPod& pod, const cluster::NodeTopology& topology,
                             const kubelet::Options& options, CommunityZones& zones) const {
  return LeastNumaScore(pod, options.scope, MaxNumaNodes(topology), zones);
}

int MaxNumaNodes(const cluster::NodeTopology& topology) {
  constexpr int64_t kMost = 1024;
  int64_t most = 8;
  for (const auto& [name, value] : topology.attributes) {
    if (name != "topologyManagerMaxNUMANodes") continue;
    std::string_view digits = value;
    if (digits.starts_with('+')) digits.remove_prefix(1);  // Go's Atoi takes it
    int64_t count = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error == std::errc() && end == digits.data() + digits.size() && count > 1) most = std::min(count, kMost);
  }
  return static_cast<int>(most);
}

TermEntry LeastAllocatedEntry() {
  return {.name = "LeastAllocated",
          .about = kAbout,
          .weighs_resources = true,
          .make = MakeStrategy<ZoneStrategy::kLeastAllocated>};
}

TermEntry MostAllocatedEntry() {
  return {.name = "MostAllocated",
          .about = kAbout,
          .weighs_resources = true,
          .make = MakeStrategy<ZoneStrategy::kMostAllocated>};
}

TermEntry BalancedAllocationEntry() {
  return {.name = "BalancedAllocation", .about = kAbout, .make = MakeStrategy<ZoneStrategy::kBalancedAllocation>};
}

TermEntry LeastNumaEntry() {
  return {.name = "LeastNUMANodes", .about = kAbout, .make = [](const Sources& from) -> std::unique_ptr<Term> {
            return std::make_unique<LeastNumaTerm>(from.nodes, from.kubelet);
          }};
}

}  // namespace huygens::scoring
