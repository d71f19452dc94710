#include "usage/outline.h"

#include <algorithm>
#include <array>
#include <bit>

namespace huygens::usage {

namespace {

// 5000 nodes with two curves each that the peaks leave open take 0.4 ms of CPU, and 3 to 4 ms where single slots decide
// on every node; with 8 slots 0.7 and 7 ms or more.
constexpr size_t kSlotsPerBlock = 4;
constexpr int64_t kLargestLimit = 0x1fff;  // in steps
constexpr int64_t kHighest = 0x3fff;       // above any limit, and twice that does not overflow
constexpr int kMostCoarser = 14;           // rounded up to such steps all that fits is 1

size_t WidthOf(size_t slots) { return (slots + kSlotsPerBlock * kLanes - 1) / (kSlotsPerBlock * kLanes); }

int StepFor(int64_t amount) {
  int step = 0;
  while (amount >> step > kLargestLimit) ++step;
  return step;
}

// Lanes behind the last slot are 0.
template <typename Curve>
void Write(const Curve& curve, size_t slots, int step, Lanes* lanes) {
  std::fill_n(lanes, WidthOf(slots), Lanes{});
  const int64_t up = (int64_t{1} << step) - 1;
  for (size_t first = 0; first < slots; first += kSlotsPerBlock) {
    const size_t end = std::min(first + kSlotsPerBlock, slots);
    int64_t highest = curve.At(first);
    for (size_t slot = first + 1; slot < end; ++slot) highest = std::max(highest, curve.At(slot));
    const size_t block = first / kSlotsPerBlock;
    lanes[block / kLanes][block % kLanes] = static_cast<int16_t>(std::min((highest + up) >> step, kHighest));
  }
}

Lanes Each(int16_t value) { return Lanes{} + value; }

bool Empty(Lanes lanes) {
  const auto words = std::bit_cast<std::array<uint64_t, 2>>(lanes);
  return (words[0] | words[1]) == 0;
}

}  // namespace

Outline::Outline(size_t slots) : slots_(slots), width_(WidthOf(slots)) {}

void Outline::Set(cluster::NodeIndex node, const NodeUsage& usage, int64_t limit) {
  if (node >= limits_.size()) {
    limits_.resize(node + 1);
    lanes_.resize(limits_.size() * width_);
  }
  const int step = StepFor(limit);
  limits_[node] = {static_cast<int16_t>(limit >> step), static_cast<uint8_t>(step)};
  Write(usage, slots_, step, &lanes_[node * width_]);
}

PodOutline Outline::Of(const ResourceDemand& demand, size_t slots) {
  const size_t width = WidthOf(slots);
  PodOutline outline{StepFor(demand.peak), std::vector<Lanes>(width * (kMostCoarser + 1))};
  Write(demand, slots, outline.step, outline.lanes.data());
  for (size_t i = width; i < outline.lanes.size(); ++i) outline.lanes[i] = (outline.lanes[i - width] + 1) >> 1;
  return outline;
}

bool Outline::SurelyFits(cluster::NodeIndex node, const ResourceDemand& demand) const {
  const Limit limit = limits_[node];
  const int coarser = std::min(limit.step - demand.outline.step, kMostCoarser);
  if (coarser < 0) return false;  // the pod's peak alone is above the limit
  const Lanes* of_node = &lanes_[node * width_];
  const Lanes* of_pod = &demand.outline.lanes[static_cast<size_t>(coarser) * width_];
  Lanes highest{};
  for (size_t i = 0; i < width_; ++i) {
    const Lanes sum = of_node[i] + of_pod[i];
    highest = sum > highest ? sum : highest;
  }
  return Empty(highest > Each(limit.steps));
}

bool Outline::FitsBySlots(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand,
                          int64_t limit) const {
  if (demand.peak > limit || usage.peak_of_sum() + demand.At(usage.peak_slot()) > limit) return false;
  const Lanes* of_node = &lanes_[node * width_];
  const int coarser = std::min(limits_[node].step - demand.outline.step, kMostCoarser);
  const Lanes* of_pod = &demand.outline.lanes[static_cast<size_t>(coarser) * width_];
  const Lanes most = Each(limits_[node].steps);
  for (size_t i = 0; i < width_; ++i) {
    const Lanes above = of_node[i] + of_pod[i] > most;
    if (Empty(above)) continue;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (above[lane] && !FitsIn(i * kLanes + lane, usage, demand, limit)) return false;
    }
  }
  return true;
}

bool Outline::FitsIn(size_t block, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const {
  const size_t end = std::min((block + 1) * kSlotsPerBlock, slots_);
  for (size_t slot = block * kSlotsPerBlock; slot < end; ++slot) {
    if (usage.At(slot) + demand.At(slot) > limit) return false;
  }
  return true;
}

}  // namespace huygens::usage
