#include "policy/preemption.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace huygens::policy {

namespace {

struct Cost {
  int64_t sum = 0;
  size_t pods = 0;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

Cost Of(const PossibleVictim& pod) {
  if (pod.leaving) return {0, 1};
  return {int64_t{pod.priority} - std::numeric_limits<int32_t>::min(), 1};
}

// Walks the pods from the most important on and spares each if it can, then takes steps back where that may be cheaper.
// All pods that are not decided on have gone, so `gone_` fits at any time.
class Search {
 public:
  Search(std::span<const PossibleVictim> pods, absl::FunctionRef<bool(const Gone&)> fits, size_t more_questions)
      : pods_(pods), fits_(fits), questions_(more_questions) {}

  // `gone` fits; `open` are the pods among them that may be spared, in order.
  Gone Best(Gone gone, std::vector<size_t> open) {
    gone_ = std::move(gone);
    open_ = std::move(open);
    questions_ += open_.size();
    Decide(0, {});
    return *best_;
  }

 private:
  void Decide(size_t next, Cost cost) {
    if (best_ && cost >= best_cost_) return;
    if (next == open_.size()) {
      best_ = gone_;
      best_cost_ = cost;
      return;
    }
    if (questions_ == 0) return;
    --questions_;
    const size_t pod = open_[next];
    gone_[pod] = false;
    if (fits_(gone_)) Decide(next + 1, cost);
    gone_[pod] = true;
    const Cost own = Of(pods_[pod]);
    Decide(next + 1, {cost.sum + own.sum, cost.pods + own.pods});
  }

  std::span<const PossibleVictim> pods_;
  absl::FunctionRef<bool(const Gone&)> fits_;
  size_t questions_;
  Gone gone_;
  std::vector<size_t> open_;
  std::optional<Gone> best_;
  Cost best_cost_;
};

}  // namespace

bool MoreImportant(const PossibleVictim& a, const PossibleVictim& b) {
  return std::tie(b.priority, a.since, a.uid) < std::tie(a.priority, b.since, b.uid);
}

std::optional<std::vector<size_t>> ChooseVictims(std::span<const PossibleVictim> pods,
                                                 absl::FunctionRef<bool(const Gone&)> fits, size_t more_questions) {
  std::vector<size_t> order(pods.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return MoreImportant(pods[a], pods[b]); });

  // The lowest highest priority: lets pods go from the least important on until it fits.
  int64_t highest = std::numeric_limits<int64_t>::min();
  for (const PossibleVictim& pod : pods) {
    if (pod.must && !pod.leaving) highest = std::max<int64_t>(highest, pod.priority);
  }
  Gone gone(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) gone[i] = pods[i].must || pods[i].leaving || pods[i].priority <= highest;
  for (auto next = order.rbegin(); !fits(gone);) {
    while (next != order.rend() && gone[*next]) ++next;
    if (next == order.rend()) return std::nullopt;
    for (const int32_t priority = pods[*next].priority; next != order.rend() && pods[*next].priority == priority;
         ++next)
      gone[*next] = true;
  }

  std::vector<size_t> open;
  for (size_t pod : order) {
    if (gone[pod] && !pods[pod].must) open.push_back(pod);
  }
  gone = Search(pods, fits, more_questions).Best(std::move(gone), std::move(open));
  std::erase_if(order, [&](size_t pod) { return !gone[pod]; });
  return order;
}

}  // namespace huygens::policy
