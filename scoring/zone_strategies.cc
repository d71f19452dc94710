#include "scoring/zone_strategies.h"

#include <algorithm>
#include <limits>

namespace huygens::scoring {

namespace {

constexpr int kBest = 100;

// Upstream's Quantity.Value().
int64_t Units(ResourceId resource, int64_t amount) {
  return resource == kCpu ? amount / 1000 + (amount % 1000 > 0 ? 1 : 0) : amount;
}

int64_t Percent(int64_t part, int64_t whole) {
  return whole > std::numeric_limits<int64_t>::max() / 100 ? part / (whole / 100) : part * 100 / whole;
}

class Scorer {
 public:
  Scorer(ZoneStrategy strategy, const CommunityPod& pod, const CommunityZones& zones, const ResourceVector& weights)
      : strategy_(strategy), pod_(pod), zones_(zones), weights_(weights) {}

  // Of the worst zone that has any.
  int64_t Worst(const ZoneDemand& demand) const {
    int64_t worst = 0;
    for (size_t zone = 0; zone < zones_.size(); ++zone) {
      int64_t score = strategy_ == ZoneStrategy::kBalancedAllocation ? Balanced(demand, zone) : Allocated(demand, zone);
      if (score != 0 && (worst == 0 || score < worst)) worst = score;
    }
    return worst;
  }

 private:
  int64_t Weight(size_t resource) const {
    ResourceId id = pod_.resources[resource];
    return weights_.Has(id) ? weights_.Get(id) : 1;
  }

  int64_t Allocated(const ZoneDemand& demand, size_t zone) const {
    int64_t sum = 0, weights = 0;
    for (const auto& [resource, amount] : demand) {
      const int64_t weight = Weight(resource), available = zones_.Available(zone, resource);
      weights += weight;
      if (available == 0 || amount > available) continue;
      const int64_t whole = Units(pod_.resources[resource], available);
      const int64_t taken = Units(pod_.resources[resource], amount);
      sum += weight * Percent(strategy_ == ZoneStrategy::kMostAllocated ? taken : whole - taken, whole);
    }
    return sum / weights;
  }

  int64_t Balanced(const ZoneDemand& demand, size_t zone) const {
    absl::InlinedVector<double, 4> shares;
    double total = 0;
    for (const auto& [resource, amount] : demand) {
      const int64_t whole = Units(pod_.resources[resource], zones_.Available(zone, resource));
      const int64_t taken = Units(pod_.resources[resource], amount);
      shares.push_back(whole == 0 ? 1 : static_cast<double>(taken) / static_cast<double>(whole));
      if (shares.back() > 1) return 0;
      total += shares.back();
    }
    if (shares.size() < 2) return kBest;
    const auto count = static_cast<double>(shares.size());
    const double mean = total / count;
    // The second sum takes off what rounding adds to the first, as upstream's library does.
    double squares = 0, deviations = 0;
    for (double share : shares) {
      squares += (share - mean) * (share - mean);
      deviations += share - mean;
    }
    const double variance = (squares - deviations * deviations / count) / (count - 1);
    return static_cast<int64_t>((1 - variance) * kBest);
  }

  const ZoneStrategy strategy_;
  const CommunityPod& pod_;
  const CommunityZones& zones_;
  const ResourceVector& weights_;
};

}  // namespace

std::string_view Name(ZoneStrategy strategy) {
  constexpr std::string_view kNames[] = {"LeastAllocated", "MostAllocated", "BalancedAllocation"};
  return kNames[static_cast<size_t>(strategy)];
}

int StrategyScore(ZoneStrategy strategy, const CommunityPod& pod, kubelet::TopologyManagerScope scope,
                  const CommunityZones& zones, const ResourceVector& weights) {
  if (pod.pod.empty()) return kBest;
  const Scorer scorer(strategy, pod, zones, weights);
  int64_t score = 0;
  if (scope == kubelet::TopologyManagerScope::kPod) {
    score = scorer.Worst(pod.pod);
  } else {
    for (const ZoneDemand& container : pod.containers) score += scorer.Worst(container);
    score /= std::max<int64_t>(1, static_cast<int64_t>(pod.containers.size()));
  }
  return static_cast<int>(std::clamp<int64_t>(score, 0, kBest));
}

}  // namespace huygens::scoring
