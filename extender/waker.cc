#include "extender/waker.h"

#include <algorithm>
#include <utility>

namespace huygens::extender {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr auto kSlice = microseconds(500);
// Between two slices: looking takes a fifth of the decision thread at most.
constexpr auto kRest = milliseconds(2);
// Between two looks whether anything changed.
constexpr auto kIdle = milliseconds(50);
constexpr Duration kLongestPause = seconds(10);
// Every node is looked at once in so many seconds, as long as pods wait.
constexpr size_t kRoundSeconds = 60;
// Pods of an earlier process that one search is given.
constexpr size_t kRejectedBefore = 64;

}  // namespace

Waker::Waker(Context& context, Backend& backend, net::EventLoop& loop, Duration min_interval)
    : context_(context),
      backend_(backend),
      loop_(loop),
      min_interval_(min_interval),
      search_(context.placement, kMostWrites),
      pause_(min_interval) {}

void Waker::Tick() {
  const bool more = Look();
  tick_ = loop_.After(more ? Duration(kRest) : Duration(kIdle), [this] { Tick(); });
}

void Waker::EverySecond() {
  const size_t slots = context_.placement.state().NodeSlots();
  context_.placement.waiting().Remind(slots / kRoundSeconds + 1, slots);
}

bool Waker::TooEarly(Time now) const {
  // A clock that was set back must not silence it for long.
  return last_write_ != Time::min() && now < last_write_ + pause_ && now >= last_write_;
}

bool Waker::Look() {
  const Time now = context_.clock.Now();
  if (!searching_) {
    if (writing_ || TooEarly(now)) return false;
    // A start that cannot be told keeps nobody from being woken: the search has the next turn.
    const bool tells = !std::exchange(start_failed_, false) && TellOfStart();
    AddRejectedBefore();
    if (tells || !search_.Begin(now)) return false;
    searching_ = true;
  }
  const auto end = std::chrono::steady_clock::now() + kSlice;
  while (search_.Step(now)) {
    if (std::chrono::steady_clock::now() > end) return true;
  }
  searching_ = false;
  auto wakes = search_.TakeWakes();
  if (!wakes.empty()) Send(std::move(wakes));
  return false;
}

bool Waker::TellOfStart() {
  if (told_of_start_ || !context_.not_ready().empty()) return false;
  const std::optional<bool> by_node = backend_.NodeWriteWakesAll();
  if (!by_node) return false;
  if (*by_node) return TellNode();
  told_of_start_ = true;
  search_.TellOneByOne();
  rejected_before_ = context_.placement.state().Unplaced();
  std::ranges::reverse(rejected_before_);
  return false;
}

void Waker::AddRejectedBefore() {
  placement::WaitingPods& waiting = context_.placement.waiting();
  for (size_t i = 0; i < kRejectedBefore && !rejected_before_.empty() && !waiting.Full(); ++i) {
    auto pod = std::move(rejected_before_.back());
    rejected_before_.pop_back();
    if (!waiting.Waits(pod->uid)) waiting.Add(std::move(pod), {}, true, {.held = true});
    waiting.BudgetsChanged();
  }
}

bool Waker::TellNode() {
  const cluster::State& state = context_.placement.state();
  for (cluster::NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (state.GetNode(node) == nullptr) continue;
    told_of_start_ = true;
    Send({{node, {}}});
    return true;
  }
  return false;
}

void Waker::Send(std::vector<placement::Wake> wakes) {
  const cluster::State& state = context_.placement.state();
  std::vector<kube::WakeTarget> targets;
  for (const placement::Wake& wake : wakes) {
    if (wake.pods.size() == 1) {
      const cluster::Pod& pod = *wake.pods.front();
      targets.push_back({pod.namespace_name, pod.name, pod.uid});
    } else {
      const cluster::Node& node = *state.GetNode(wake.node);
      targets.push_back({"", node.name, node.uid});
    }
    for (const auto& pod : wake.pods) context_.placement.waiting().BeginWaking(pod->uid);
  }
  writing_ = true;
  backend_.Wake(std::move(targets), [this, wakes = std::move(wakes)](const std::vector<kube::WakeReport>& reports) {
    Report(wakes, reports);
  });
}

void Waker::Report(const std::vector<placement::Wake>& wakes, const std::vector<kube::WakeReport>& reports) {
  writing_ = false;
  last_write_ = context_.clock.Now();
  std::string trouble;
  Duration wish{};
  placement::WaitingPods& waiting = context_.placement.waiting();
  for (size_t i = 0; i < wakes.size(); ++i) {
    const kube::WakeReport& report = reports[i];
    const bool failed = report.result == kube::WakeResult::kFailed;
    context_.metrics.WakeWrite(Name(report.result));
    if (report.result == kube::WakeResult::kWritten) context_.metrics.PodsWoken(wakes[i].pods.size());
    for (const auto& pod : wakes[i].pods) waiting.EndWaking(pod->uid, !failed);
    if (!failed) continue;
    wakes[i].anywhere ? waiting.BudgetsChanged() : waiting.Changed(wakes[i].node);
    if (wakes[i].pods.empty()) {
      told_of_start_ = false;
      start_failed_ = true;
    }
    trouble = report.message;
    wish = std::max(wish, report.retry_after.value_or(Duration::zero()));
  }
  pause_ = trouble.empty()
               ? min_interval_
               : std::clamp(std::max(wish, pause_ * 2), min_interval_, std::max(min_interval_, kLongestPause));
  if (!trouble_.Changes(trouble)) return;
  if (trouble.empty()) {
    context_.log.Info("waking pods works again");
  } else {
    context_.log.Warn("cannot wake pods", {{"why", trouble}});
  }
}

}  // namespace huygens::extender
