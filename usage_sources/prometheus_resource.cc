#include "usage_sources/prometheus_resource.h"

#include <algorithm>
#include <utility>

namespace huygens::usage_sources {
namespace {

constexpr Duration kStep = std::chrono::minutes(1);     // of the recording rules
constexpr Duration kOverlap = std::chrono::minutes(5);  // that a sample may come late: rules, remote writing
constexpr Duration kSkew = std::chrono::minutes(1);     // that a sample may be ahead of this clock
constexpr int kPatience = 10;                           // with a slot of history that is too much
constexpr size_t kMostParts = 64;                       // of one question
constexpr SubjectKind kKinds[] = {SubjectKind::kWorkload, SubjectKind::kNode};

// Of history, OutOfRange is most likely a limit of the server.
bool TooMuch(const Status& status) { return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status); }

// Keeps the last warning.
Status Warn(const StatusOr<std::vector<std::string>>& warnings, PrometheusResource::Outcome& outcome) {
  if (warnings.ok() && !warnings->empty()) outcome.warning = warnings->back();
  return warnings.status();
}

}  // namespace

PrometheusResource::PrometheusResource(size_t position, const usage::Options& usage, ResourceQueries own, Scope scope,
                                       const PlacedPods& known)
    : position_(position),
      usage_(usage),
      own_(std::move(own)),
      scope_(std::move(scope)),
      known_(known),
      name_(usage.resources[position].name),
      expressions_(ExpressionsFor(name_, own_, usage.replica_quantile, scope_)),
      scale_(usage.resources[position].resource == kCpu ? 1000 : 1),
      day_(std::max<int64_t>(1, std::chrono::hours(24) / usage.slot)),
      present_parts_{{Part()}, {Part()}},
      history_parts_{{Part()}, {Part()}},
      piece_(day_) {}

void PrometheusResource::ForgetTimes() {
  seen_until_.reset();
  history_begins_ = history_waits_ = settled_ = INT64_MIN;
}

Duration PrometheusResource::Step() const { return std::min(kStep, usage_.slot); }

void PrometheusResource::ExtendHistory(Time now) {
  const int64_t open = usage::SlotAt(now, usage_.slot), closed = usage::SlotAt(now - kOverlap, usage_.slot);
  if (!seen_until_ || now - *seen_until_ > usage_.slot) {
    if (seen_until_ && !HasHistory()) {
      history_begins_ = usage::SlotAt(*seen_until_, usage_.slot);
      piece_ = day_;
    }
    seen_until_.reset();
    history_ends_ = open;
    settled_ = closed;
  } else if (settled_ < closed) {
    if (!HasHistory()) history_begins_ = settled_;
    history_ends_ = std::max(history_ends_, closed);
    settled_ = closed;
  }
  history_begins_ = std::max(history_begins_, usage::OldestSlot(now, usage_));
}

Status PrometheusResource::Refresh(const Round& round, Outcome& outcome) {
  const int64_t open = usage::SlotAt(round.now, usage_.slot);
  ExtendHistory(round.now);
  Status history;
  if (HasHistory() && open >= history_waits_) {
    history = FetchHistory(round, outcome);
    if (absl::IsCancelled(history)) return history;
    if (history.ok() && HasHistory()) {
      outcome.more = true;
      if (piece_ == day_) {  // else it may take long
        outcome.history_alone = true;
        return absl::OkStatus();
      }
    }
  }
  // Where this fails, too, history is not to blame, and comes as soon as Prometheus is back.
  HUYGENS_RETURN_IF_ERROR(FetchPresent(round, outcome));
  if (!history.ok()) PutHistoryOff(history, open);
  return absl::OkStatus();
}

void PrometheusResource::PutHistoryOff(const Status& fault, int64_t open) {
  history_waits_ = open + 1;
  history_fault_ = Message(fault);
  if (!TooMuch(fault) || ++too_much_ < kPatience) return;
  lost_ = history_ends_ - 1;
  history_begins_ = history_ends_;
  too_much_ = 0;
}

Status PrometheusResource::AskFor(SubjectKind kind, bool recorded, std::vector<Part>& parts, bool may_split,
                                  const Ask& ask) const {
  const Expression& whole = expressions_.Of(kind);
  if ((recorded ? whole.recorded : whole.raw).empty()) return absl::OkStatus();
  if (kind != SubjectKind::kWorkload || !own_.pods.empty()) return ask(recorded ? whole.recorded : whole.raw);
  for (size_t i = 0; i < parts.size();) {
    const Expression part = WorkloadsIn(parts[i], name_, usage_.replica_quantile, scope_);
    const Status status = ask(recorded ? part.recorded : part.raw);
    if (status.ok()) {
      ++i;
      continue;
    }
    const bool split = may_split && IsTooLarge(status) && parts.size() < kMostParts;
    const std::vector<Part> smaller = split ? parts[i].Split(recorded) : std::vector<Part>();
    if (smaller.empty()) return status;
    const auto at = parts.erase(parts.begin() + static_cast<ptrdiff_t>(i));
    parts.insert(at, smaller.begin(), smaller.end());
  }
  return absl::OkStatus();
}

Status PrometheusResource::FetchSlots(SubjectKind kind, bool recorded, int64_t first, int64_t last, Gatherer& gatherer,
                                      const Round& round, Outcome& outcome) {
  if (first > last) return absl::OkStatus();
  // At the last millisecond of each slot, from which a window of one slot reaches back to its beginning. Prometheus
  // before 3.0 counts the very last millisecond of the slot before, too, which does no harm.
  const auto end_of = [&](int64_t slot) { return Time(usage_.slot * (slot + 1)) - std::chrono::milliseconds(1); };
  const PrometheusVisitor visitor = gatherer.Highest(kind);
  return AskFor(kind, recorded, history_parts_[recorded ? 1 : 0], first == last, [&](const std::string& expression) {
    const std::string query = Highest(expression, recorded, usage_.slot, Step());
    return Warn(round.client.QueryRange(query, end_of(first), end_of(last), usage_.slot, visitor), outcome);
  });
}

Status PrometheusResource::FetchHistory(const Round& round, Outcome& outcome) {
  const int64_t first = history_begins_;
  const int64_t last = std::min(history_ends_, first + piece_) - 1;
  SlotMaxima maxima;
  Gatherer gatherer(maxima, known_, {usage_.slot, first, last, round.now}, scale_);
  const auto fetch = [&](SubjectKind kind) -> Status {
    HUYGENS_RETURN_IF_ERROR(FetchSlots(kind, true, first, last, gatherer, round, outcome));
    // What came before the recording, and its first slot, which it may hold in part only.
    const std::optional<int64_t> recorded_from = maxima.FirstSlot(kind);
    if (recorded_from == first) return absl::OkStatus();
    return FetchSlots(kind, false, first, recorded_from.value_or(last), gatherer, round, outcome);
  };
  Status status = fetch(SubjectKind::kWorkload);
  if (status.ok()) status = fetch(SubjectKind::kNode);
  if (TooMuch(status) || absl::IsDeadlineExceeded(status)) {
    const bool alone = piece_ == 1;
    piece_ = std::max<int64_t>(1, piece_ / 2);
    if (TooMuch(status) && !alone) return absl::OkStatus();
  }
  HUYGENS_RETURN_IF_ERROR(status);
  history_begins_ = last + 1;
  history_fault_.clear();
  too_much_ = 0;
  outcome.left_out += gatherer.left_out();
  std::move(maxima).DeliverTo(round.deliver, position_);
  return absl::OkStatus();
}

Status PrometheusResource::FetchPresent(const Round& round, Outcome& outcome) {
  const int64_t open = usage::SlotAt(round.now, usage_.slot);
  SlotMaxima maxima;
  Gatherer gatherer(maxima, known_, {usage_.slot, open, open + 1, round.now + kSkew}, scale_);
  for (const SubjectKind kind : kKinds) {
    const bool recorded = round.recorded.contains(expressions_.Of(kind).recorded);
    const PrometheusVisitor now = gatherer.Samples(kind), so_far = gatherer.Highest(kind);
    std::vector<Part>& parts = present_parts_[recorded ? 1 : 0];
    HUYGENS_RETURN_IF_ERROR(AskFor(kind, recorded, parts, true, [&](const std::string& expression) {
      return Warn(round.client.Query(expression, round.now, now), outcome);
    }));
    if (seen_until_) continue;
    // What the open slot has held so far. Where it cannot be had it comes when the slot has closed.
    const Duration since = round.now - Time(usage_.slot * open) + std::chrono::milliseconds(1);
    const Status status = AskFor(kind, recorded, parts, false, [&](const std::string& expression) {
      return Warn(round.client.Query(Highest(expression, recorded, since, Step()), round.now, so_far), outcome);
    });
    if (absl::IsCancelled(status)) return status;
  }
  silent_ = !maxima.FirstSlot(SubjectKind::kWorkload).has_value();
  without_nodes_ = !silent_ && !maxima.AnyAmount(SubjectKind::kNode);
  half_measured_ = maxima.FirstWithoutAmount();
  seen_until_ = round.now;
  outcome.left_out += gatherer.left_out();
  std::move(maxima).DeliverTo(round.deliver, position_);
  return absl::OkStatus();
}

}  // namespace huygens::usage_sources
