#include "prom/prometheus_source.h"

#include <algorithm>

namespace huygens::prom {
namespace {

constexpr Duration kStep = std::chrono::minutes(1);     // of the recording rules
constexpr Duration kOverlap = std::chrono::minutes(5);  // that a sample may come late: rules, remote writing
constexpr Duration kSkew = std::chrono::minutes(1);     // that a sample may be ahead of this clock
constexpr int kPatience = 10;                           // with a slot of history that is too much
constexpr SubjectKind kKinds[] = {SubjectKind::kWorkload, SubjectKind::kNode};

// Of history, OutOfRange is most likely a limit of the server.
bool TooMuch(const Status& status) { return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status); }

// A list for people: "cpu, memory".
std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += Concat(text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

PrometheusSource::PrometheusSource(PrometheusOptions options, std::unique_ptr<PrometheusClient> client,
                                   const PlacedPods& known)
    : options_(std::move(options)),
      client_(std::move(client)),
      known_(known),
      day_(std::max<int64_t>(1, std::chrono::hours(24) / options_.usage.slot)) {
  for (size_t i = 0; i < options_.usage.resources.size(); ++i) {
    const usage::ResourceOptions& resource = options_.usage.resources[i];
    const ResourceQueries own = i < options_.queries.size() ? options_.queries[i] : ResourceQueries{};
    resources_.push_back({.name = resource.name,
                          .expressions = ExpressionsFor(resource.name, own, options_.usage.replica_quantile),
                          .scale = resource.resource == kCpu ? 1000 : 1,
                          .piece = day_});
  }
}

StatusOr<std::unique_ptr<PrometheusSource>> PrometheusSource::Create(PrometheusOptions options,
                                                                     const PlacedPods& known) {
  options.server.max_reply_bytes = kMaxReplyBytes;
  HUYGENS_ASSIGN_OR_RETURN(auto client, PrometheusClient::Create(options.server, options.timeout));
  return std::unique_ptr<PrometheusSource>(new PrometheusSource(std::move(options), std::move(client), known));
}

std::string PrometheusSource::name() const { return Concat("prometheus ", options_.server.base_url); }

Duration PrometheusSource::Step() const { return std::min(kStep, options_.usage.slot); }

StatusOr<Progress> PrometheusSource::Refresh(Time now, const Deliver& deliver) {
  Round round{now, usage::SlotAt(now, options_.usage.slot), deliver, {}, {}, {}};
  if (asked_ && *asked_ - now > options_.usage.slot) {
    // The clock went back: all that follows from the time of before is wrong.
    for (Resource& resource : resources_) {
      resource.seen_until.reset();
      resource.history_begins = resource.history_waits = INT64_MIN;
    }
  }
  asked_ = now;
  if (looked_in_slot_ != round.open) HUYGENS_RETURN_IF_ERROR(LookForRecordings(round));
  Status first_fault;
  for (size_t i = 0; i < resources_.size(); ++i) {
    Status status = Annotate(RefreshOne(i, round), resources_[i].name);
    if (absl::IsCancelled(status)) return status;
    if (!status.ok()) round.faults.emplace_back(Message(status));
    first_fault.Update(status);
  }
  if (round.faults.size() == resources_.size()) HUYGENS_RETURN_IF_ERROR(first_fault);
  round.progress.partial = !round.faults.empty();
  round.progress.notices = Notices(round);
  return std::move(round.progress);
}

Status PrometheusSource::LookForRecordings(Round& round) {
  recorded_.clear();
  const auto take = [&](const wire::PrometheusLabels& labels) {
    recorded_.insert(Recording(labels));
    return false;
  };
  Status asked = client_->Query(RecordingsQuery(), round.now, {take, nullptr}).status();
  // Refused is this one query; the others may work.
  const bool refused = absl::IsInvalidArgument(asked) || TooMuch(asked);
  if (!asked.ok() && !refused) return asked;
  recordings_fault_ = Message(asked);
  looked_in_slot_ = round.open;
  return absl::OkStatus();
}

Status PrometheusSource::RefreshOne(size_t index, Round& round) {
  Resource& resource = resources_[index];
  if (!resource.seen_until || round.now - *resource.seen_until > options_.usage.slot) {
    if (resource.seen_until && !resource.HasHistory()) {
      resource.history_begins = usage::SlotAt(*resource.seen_until, options_.usage.slot);
      resource.piece = day_;
    }
    resource.seen_until.reset();
    resource.history_ends = round.open;
  }
  resource.history_begins = std::max(resource.history_begins, usage::OldestSlot(round.now, options_.usage));
  Status history;
  if (resource.HasHistory() && round.open >= resource.history_waits) {
    history = FetchHistory(index, round);
    if (absl::IsCancelled(history)) return history;
    if (history.ok() && resource.HasHistory()) {
      round.progress.more = true;
      if (resource.piece == day_) {  // else it may take long
        round.progress.history_alone = true;
        return absl::OkStatus();
      }
    }
  }
  // Where this fails, too, history is not to blame, and comes as soon as Prometheus is back.
  HUYGENS_RETURN_IF_ERROR(FetchPresent(index, round));
  if (!history.ok()) PutHistoryOff(resource, history, round.open);
  return absl::OkStatus();
}

void PrometheusSource::PutHistoryOff(Resource& resource, const Status& fault, int64_t open) {
  resource.history_waits = open + 1;
  resource.history_fault = Message(fault);
  if (!TooMuch(fault) || ++resource.too_much < kPatience) return;
  resource.lost = resource.history_ends - 1;
  resource.history_begins = resource.history_ends;
  resource.too_much = 0;
}

Status PrometheusSource::FetchSlots(const std::string& expression, bool recorded, int64_t first, int64_t last,
                                    const wire::PrometheusVisitor& visitor, Round& round) {
  if (expression.empty() || first > last) return absl::OkStatus();
  const Duration slot = options_.usage.slot;
  // At the last millisecond of each slot, from which a window of one slot reaches back to its beginning. Prometheus
  // before 3.0 counts the very last millisecond of the slot before, too, which does no harm.
  const auto end_of = [&](int64_t number) { return Time(slot * (number + 1)) - std::chrono::milliseconds(1); };
  auto warnings =
      client_->QueryRange(Highest(expression, recorded, slot, Step()), end_of(first), end_of(last), slot, visitor);
  if (warnings.ok() && !warnings->empty()) round.warning = warnings->back();
  return warnings.status();
}

Status PrometheusSource::FetchHistory(size_t index, Round& round) {
  Resource& resource = resources_[index];
  const int64_t first = resource.history_begins;
  const int64_t last = std::min(resource.history_ends, first + resource.piece) - 1;
  SlotMaxima maxima;
  Gatherer gatherer(maxima, known_, {options_.usage.slot, first, last, round.now}, resource.scale);
  const auto fetch = [&](SubjectKind kind) -> Status {
    const Expression& expression = resource.expressions.Of(kind);
    const wire::PrometheusVisitor visitor = gatherer.Highest(kind);
    HUYGENS_RETURN_IF_ERROR(FetchSlots(expression.recorded, true, first, last, visitor, round));
    // What came before the recording, and its first slot, which it may hold in part only.
    const std::optional<int64_t> recorded_from = maxima.FirstSlot(kind);
    if (recorded_from == first) return absl::OkStatus();
    return FetchSlots(expression.raw, false, first, recorded_from.value_or(last), visitor, round);
  };
  Status status = fetch(SubjectKind::kWorkload);
  if (status.ok()) status = fetch(SubjectKind::kNode);
  if (TooMuch(status) || absl::IsDeadlineExceeded(status)) {
    const bool alone = resource.piece == 1;
    resource.piece = std::max<int64_t>(1, resource.piece / 2);
    if (TooMuch(status) && !alone) return absl::OkStatus();
  }
  HUYGENS_RETURN_IF_ERROR(status);
  resource.history_begins = last + 1;
  resource.history_fault.clear();
  resource.too_much = 0;
  round.progress.left_out += gatherer.left_out();
  std::move(maxima).DeliverTo(round.deliver, index);
  return absl::OkStatus();
}

Status PrometheusSource::FetchPresent(size_t index, Round& round) {
  Resource& resource = resources_[index];
  const Duration slot = options_.usage.slot;
  const Time since = resource.seen_until.value_or(Time(slot * round.open)) - kOverlap;
  const Duration window = std::max(kOverlap, round.now - since);
  SlotMaxima maxima;
  Gatherer gatherer(maxima, known_, {slot, usage::SlotAt(round.now - window, slot), round.open + 1, round.now + kSkew},
                    resource.scale);
  for (const SubjectKind kind : kKinds) {
    const Expression& either = resource.expressions.Of(kind);
    const bool recorded = recorded_.contains(either.recorded);
    const std::string& expression = recorded ? either.recorded : either.raw;
    if (expression.empty()) continue;
    const auto warnings =
        client_->Query(Samples(expression, recorded, window, Step()), round.now, gatherer.Samples(kind));
    if (!warnings.ok()) return warnings.status();
    if (!warnings->empty()) round.warning = warnings->back();
  }
  resource.silent = !maxima.FirstSlot(SubjectKind::kWorkload).has_value();
  resource.seen_until = round.now;
  round.progress.left_out += gatherer.left_out();
  std::move(maxima).DeliverTo(round.deliver, index);
  return absl::OkStatus();
}

std::vector<std::string> PrometheusSource::Notices(const Round& round) const {
  std::vector<std::string> unrecorded, silent, shortened, notices = round.faults;
  for (const Resource& resource : resources_) {
    for (const SubjectKind kind : kKinds) {
      const std::string& recorded = resource.expressions.Of(kind).recorded;
      if (!recorded.empty() && !recorded_.contains(recorded)) unrecorded.push_back(recorded);
    }
    if (resource.silent) silent.push_back(resource.name);
    if (resource.lost && *resource.lost >= usage::OldestSlot(round.now, options_.usage))
      shortened.push_back(resource.name);
    if (resource.HasHistory() && !resource.history_fault.empty()) {
      notices.push_back(Concat("history of ", resource.name, " is missing as yet: ", resource.history_fault));
    }
  }
  if (!silent.empty()) {
    notices.push_back(Concat("Prometheus measures no pod's use of ", Joined(silent),
                             "; config/prometheus/README.md says what it must scrape"));
  }
  if (!recordings_fault_.empty()) {
    notices.push_back(Concat("Prometheus does not say what it records, so it works each answer out from raw series: ",
                             recordings_fault_));
  } else if (!unrecorded.empty()) {
    notices.push_back(
        Concat("Prometheus has no ", Joined(unrecorded),
               ", so it works each answer out from raw series; config/prometheus/rules.yaml is not loaded "
               "there, or has nothing to record"));
  }
  if (!shortened.empty()) {
    notices.push_back(Concat("some history of ", Joined(shortened), " was too much for Prometheus and is missing"));
  }
  if (!round.warning.empty()) notices.push_back(Concat("Prometheus warns, the data may be partial: ", round.warning));
  return notices;
}

}  // namespace huygens::prom
