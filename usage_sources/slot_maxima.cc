#include "usage_sources/slot_maxima.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace huygens::usage_sources {
namespace {

auto Minute(Time time) { return std::chrono::floor<std::chrono::minutes>(time); }

}  // namespace

uint32_t SlotMaxima::Subject(SubjectKind kind, std::string_view name) {
  TextMap<uint32_t>& numbers = numbers_[static_cast<size_t>(kind)];
  const auto known = numbers.find(name);
  if (known != numbers.end()) return known->second;
  const auto number = static_cast<uint32_t>(subjects_.size());
  subjects_.push_back({kind, std::string(name)});
  numbers.emplace(name, number);
  return number;
}

void SlotMaxima::Raise(uint32_t subject, int64_t slot, int64_t amount, Time measured) {
  // Samples come series by series, ascending.
  if (!samples_.empty() && samples_.back().subject == subject && samples_.back().slot == slot) {
    samples_.back().amount = std::max(samples_.back().amount, amount);
    samples_.back().measured = std::max(samples_.back().measured, measured);
  } else {
    samples_.push_back({amount, measured, subject, static_cast<int32_t>(slot)});
  }
}

template <typename Visit>
void SlotMaxima::Each(SubjectKind kind, Visit visit) const {
  for (const Sample& sample : samples_) {
    if (subjects_[sample.subject].kind == kind) visit(sample);
  }
}

std::optional<int64_t> SlotMaxima::FirstSlot(SubjectKind kind) const {
  std::optional<int64_t> first;
  Each(kind, [&](const Sample& sample) { first = std::min<int64_t>(first.value_or(sample.slot), sample.slot); });
  return first;
}

bool SlotMaxima::AnyAmount(SubjectKind kind) const {
  bool any = false;
  Each(kind, [&](const Sample& sample) { any |= sample.amount != kNoAmount; });
  return any;
}

std::string SlotMaxima::FirstWithoutAmount() const {
  TextSet with;
  Each(SubjectKind::kNode, [&](const Sample& sample) {
    if (sample.amount != kNoAmount) with.insert(subjects_[sample.subject].name);
  });
  std::string first;
  Each(SubjectKind::kNode, [&](const Sample& sample) {
    const std::string& name = subjects_[sample.subject].name;
    if (!with.contains(name) && (first.empty() || name < first)) first = name;
  });
  return first;
}

void SlotMaxima::DeliverTo(const Deliver& deliver, size_t resource) && {
  std::vector<uint32_t> order(subjects_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](uint32_t number) { return std::tie(subjects_[number].kind, subjects_[number].name); });
  std::vector<uint32_t> rank(subjects_.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::ranges::sort(samples_, {}, [&](const Sample& s) { return std::tuple(s.slot, rank[s.subject]); });

  size_t kept = 0;  // of each slot and subject one
  for (const Sample& sample : samples_) {
    Sample* const last = kept == 0 ? nullptr : &samples_[kept - 1];
    if (last == nullptr || last->slot != sample.slot || last->subject != sample.subject) {
      samples_[kept++] = sample;
    } else {
      last->amount = std::max(last->amount, sample.amount);
      last->measured = std::max(last->measured, sample.measured);
    }
  }
  samples_.resize(kept);
  const auto group = [&](const Sample& s) { return std::tuple(s.slot, subjects_[s.subject].kind, Minute(s.measured)); };
  std::ranges::stable_sort(samples_, {}, group);

  for (size_t begin = 0, end = 0; begin < samples_.size(); begin = end) {
    usage::Readings batch{.resource = resource, .slot = samples_[begin].slot, .measured = samples_[begin].measured};
    const bool workloads = subjects_[samples_[begin].subject].kind == SubjectKind::kWorkload;
    for (; end < samples_.size() && end - begin < usage::kReadingsPerBatch; ++end) {
      const Sample& sample = samples_[end];
      if (group(sample) != group(samples_[begin])) break;
      const std::string& name = subjects_[sample.subject].name;
      if (sample.amount == kNoAmount) {
        batch.half_measured.push_back(name);
      } else {
        (workloads ? batch.workloads : batch.nodes).push_back({name, sample.amount});
      }
      batch.measured = std::max(batch.measured, sample.measured);
    }
    deliver(std::move(batch));
  }
}

}  // namespace huygens::usage_sources
