#include "topology/cpus.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace huygens::topology {

namespace {

// Each number's rank among the distinct ones. Neighbours are mostly alike.
std::vector<uint16_t> Ranks(const std::vector<int>& numbers) {
  std::vector<int> distinct;
  std::unique_copy(numbers.begin(), numbers.end(), std::back_inserter(distinct));
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<uint16_t> ranks;
  ranks.reserve(numbers.size());
  auto rank = distinct.begin();
  for (int number : numbers) {
    if (*rank != number) rank = std::lower_bound(distinct.begin(), distinct.end(), number);
    ranks.push_back(static_cast<uint16_t>(rank - distinct.begin()));
  }
  return ranks;
}

void AddTo(std::vector<CpuSet>& sets, size_t index, size_t cpu) {
  if (index >= sets.size()) sets.resize(index + 1);
  sets[index].Add(cpu);
}

// The CPUs in the order of their group, otherwise as they come; `first` tells where each of `groups` begins.
template <typename GroupOf>
std::vector<uint16_t> Grouped(const std::vector<uint16_t>& cpus, size_t groups, std::vector<uint32_t>& first,
                              GroupOf group_of) {
  first.assign(groups + 1, 0);
  for (uint16_t cpu : cpus) ++first[group_of(cpu) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> next = first;
  std::vector<uint16_t> grouped(cpus.size());
  for (uint16_t cpu : cpus) grouped[next[group_of(cpu)]++] = cpu;
  return grouped;
}

}  // namespace

int CpuSet::Count() const {
  int count = 0;
  for (uint64_t word : words_) count += std::popcount(word);
  return count;
}

bool CpuSet::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](uint64_t word) { return word == 0; });
}

int CpuSet::CountIn(const CpuSet& other) const {
  int count = 0;
  for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    count += std::popcount(words_[i] & other.words_[i]);
  }
  return count;
}

bool CpuSet::Meets(const CpuSet& a, const CpuSet& b) const {
  for (size_t i = 0; i < std::min({words_.size(), a.words_.size(), b.words_.size()}); ++i) {
    if ((words_[i] & a.words_[i] & b.words_[i]) != 0) return true;
  }
  return false;
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
  for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

bool operator==(const CpuSet& a, const CpuSet& b) {
  const auto& longer = a.words_.size() < b.words_.size() ? b.words_ : a.words_;
  const auto& shorter = a.words_.size() < b.words_.size() ? a.words_ : b.words_;
  return std::equal(shorter.begin(), shorter.end(), longer.begin()) &&
         std::all_of(longer.begin() + static_cast<std::ptrdiff_t>(shorter.size()), longer.end(),
                     [](uint64_t word) { return word == 0; });
}

std::shared_ptr<const CpuLayout> CpuLayout::Make(std::vector<LogicalCpu> cpus, std::span<const int> reserved) {
  auto by_id = [](const LogicalCpu& a, const LogicalCpu& b) { return a.id < b.id; };
  if (!std::is_sorted(cpus.begin(), cpus.end(), by_id)) std::sort(cpus.begin(), cpus.end(), by_id);
  auto layout = std::make_shared<CpuLayout>();
  std::vector<int> cores, sockets, uncores;
  for (std::vector<int>* each : {&cores, &sockets, &uncores}) each->reserve(cpus.size());
  layout->cpus_.reserve(cpus.size());
  for (const LogicalCpu& cpu : cpus) {
    cores.push_back(cpu.core);
    sockets.push_back(cpu.socket);
    uncores.push_back(cpu.uncore_cache < 0 ? cpu.socket : cpu.uncore_cache);
  }
  const std::vector<uint16_t> core_ranks = Ranks(cores);
  const std::vector<uint16_t> socket_ranks = Ranks(sockets);
  const std::vector<uint16_t> uncore_ranks = Ranks(uncores);
  std::vector<int> lowest(cpus.size(), -1);  // of each core
  for (size_t i = 0; i < cpus.size(); ++i) {
    int& core = lowest[core_ranks[i]];
    if (core < 0) core = static_cast<int>(i);
    layout->cpus_.push_back({cpus[i].id, static_cast<uint16_t>(core), static_cast<uint16_t>(cpus[i].zone),
                             socket_ranks[i], uncore_ranks[i]});
    AddTo(layout->zones_, cpus[i].zone, i);
    AddTo(layout->sockets_, socket_ranks[i], i);
    AddTo(layout->uncores_, uncore_ranks[i], i);
  }
  layout->zones_of_sockets_.resize(layout->sockets_.size(), 0);
  for (const Cpu& cpu : layout->cpus_) layout->zones_of_sockets_[cpu.socket] |= ZoneBit(cpu.zone);
  layout->zones_with_cpus_ = static_cast<int>(
      std::count_if(layout->zones_.begin(), layout->zones_.end(), [](const CpuSet& zone) { return !zone.empty(); }));
  std::vector<uint16_t> order(cpus.size());
  std::iota(order.begin(), order.end(), uint16_t{0});
  layout->by_core_ = Grouped(order, cpus.size(), layout->first_of_core_,
                             [&](uint16_t cpu) { return size_t{layout->cpus_[cpu].core}; });
  layout->by_zone_ = Grouped(layout->by_core_, layout->zones_.size(), layout->first_of_zone_,
                             [&](uint16_t cpu) { return size_t{layout->cpus_[cpu].zone}; });
  const auto core_count = static_cast<size_t>(std::count_if(
      layout->cpus_.begin(), layout->cpus_.end(), [&](const Cpu& cpu) { return &cpu == &layout->cpus_[cpu.core]; }));
  layout->cpus_per_core_ = layout->Average(core_count);
  layout->Positions(reserved).ForEach([&](size_t cpu) {
    for (uint16_t sibling : layout->InCore(layout->cpus_[cpu].core)) layout->reserved_cores_.Add(sibling);
  });
  return layout;
}

CpuSet CpuLayout::Positions(std::span<const int> ids) const {
  CpuSet set;
  for (int id : ids) {
    auto found = std::lower_bound(cpus_.begin(), cpus_.end(), id, [](const Cpu& cpu, int id) { return cpu.id < id; });
    if (found != cpus_.end() && found->id == id) set.Add(static_cast<size_t>(found - cpus_.begin()));
  }
  return set;
}

}  // namespace huygens::topology
