#include "webhook/group_commit.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "quota/keys.h"
#include "webhook/verdicts.h"

namespace huygens::webhook {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;

constexpr Duration kFirstPause = std::chrono::milliseconds(50);
constexpr Duration kLongestPause = std::chrono::seconds(1);
// Within so long of a charge the yes has to follow where the name is another object's still. The controller gives such a
// charge up 2 s after it has seen it, which leaves the object a second to be stored.
constexpr Duration kFresh = std::chrono::seconds(1);

// Longer ones no API server makes: whoever forges a review must not fill the status of the group with it.
bool HasUsualSize(const QuotaReservation& reservation) {
  return reservation.uid.size() <= 128 && reservation.kind.size() <= 317 && reservation.namespace_name.size() <= 63 &&
         reservation.name.size() <= 253;
}

// Of the keys that the figures were reckoned with, those that the budget still has. One that comes back to the budget
// must be counted anew: while it was gone nothing was charged to it.
void KeepCounted(BizGroupQuota& group) {
  const quota::Amounts hard = quota::NormalKeys(group.hard);
  std::erase_if(group.counted_hard,
                [&](const auto& each) { return quota::Find(hard, quota::NormalKey(each.first)) == nullptr; });
}

// They may have been judged beside a charge that is not there any more.
void MustBeJudged(auto& orders) {
  for (auto& order : orders) order.judged_by.reset();
}

std::string Named(const std::string& group) { return Concat("quota bizrq/", group, ": "); }

}  // namespace

GroupCommit::GroupCommit(Ledger& ledger, StatusStore& store, Environment environment, GroupCommitOptions options)
    : ledger_(ledger), store_(store), environment_(std::move(environment)), options_(std::move(options)) {
  ledger_.KeepsAdvances(options_.advance.instance, [this](const std::string& group) {
    environment_.after(Duration::zero(), [this, group] { Next(group); });
  });
}

GroupCommit::Queue& GroupCommit::QueueOf(const std::string& group) {
  return queues_.try_emplace(group, Backoff(kFirstPause, kLongestPause, environment_.random), options_.advance)
      .first->second;
}

void GroupCommit::Submit(Review review, const Judgement& first) {
  const std::string group = review.charge.group;
  const Duration last = review.deadline - options_.margin;
  Queue& queue = QueueOf(group);
  if (queue.waiting.size() >= options_.most_waiting) {
    return review.answer(NotYet(Concat(Named(group), "too many requests of this group wait to be charged")));
  }
  if (!HasUsualSize(review.charge.reservation)) {
    return review.answer(NotYet(Concat(Named(group), "the name or UID of the object is longer than API servers make")));
  }
  queue.advance.Note(review.charge, environment_.monotonic());
  if (AnswerFromAdvance(queue, review, first)) return;
  ledger_.Hold(review.charge);
  queue.waiting.push_back({.review = std::move(review), .judgement = first, .judged_by = VersionOf(group)});
  Next(group);
  WakeBy(group, last);
}

void GroupCommit::LookUp(const std::string& group, Duration deadline, std::function<void(Status)> then) {
  const auto [found, is_first] = lookups_.try_emplace(group);
  found->second.push_back(std::move(then));
  if (!is_first) return;
  const Duration left = deadline - options_.margin - environment_.monotonic();
  store_.Read(group, std::clamp<Duration>(left, std::chrono::milliseconds(1), options_.write_timeout),
              [this, group, removals = ledger_.removals()](StatusOr<BizGroupQuota> read) {
                Status status = read.status();
                if (read.ok() && !ledger_.SetAnswer(*std::move(read), removals)) {
                  status = Unavailable("groups are being deleted");
                }
                const auto waiting = std::move(lookups_.extract(group).mapped());
                for (const auto& each : waiting) each(status);
              });
}

void GroupCommit::Next(const std::string& group) {
  const auto found = queues_.find(group);
  if (found == queues_.end() || found->second.busy) return;
  Queue& queue = found->second;
  if (queue.gathering != 0 && queue.waiting.size() < queue.expected) return;
  queue.gathering = 0;
  Expire(queue);
  const BizGroupQuota* known = ledger_.Find(group);
  if (known == nullptr) LetGo(queue.advance.Drop());
  const Duration now = environment_.monotonic();
  const bool due = known != nullptr && (queue.recall || queue.advance.IsDue(*known, environment_.clock.Now(), now));
  if (queue.waiting.empty() && !due) {
    if (known != nullptr && queue.advance.IsKept(*known, now)) return Tick(group, queue);
    queues_.erase(found);
    return;
  }
  const auto is_old = [&](const Order& order) { return order.judged_by != known->resource_version; };
  if (known == nullptr || std::any_of(queue.waiting.begin(), queue.waiting.end(), is_old)) {  // it went, or changed
    JudgeAgain(queue, false);
    return Next(group);
  }
  queue.busy = true;
  auto end = std::find_if(queue.waiting.begin(), queue.waiting.end(), [](const Order& order) { return order.alone; });
  if (end == queue.waiting.begin() && end != queue.waiting.end()) ++end;
  queue.writing.assign(std::move_iterator(queue.waiting.begin()), std::move_iterator(end));
  queue.waiting.erase(queue.waiting.begin(), end);
  WriteBatch(group, queue, *known);
}

void GroupCommit::WriteBatch(const std::string& group, Queue& queue, BizGroupQuota object) {
  KeepCounted(object);
  object.used = quota::NormalKeys(object.used);
  object.self_used = quota::NormalKeys(object.self_used);
  const Time wall = environment_.clock.Now();
  const Duration now = environment_.monotonic();
  const Time until = std::chrono::ceil<std::chrono::seconds>(wall) +
                     std::chrono::duration_cast<std::chrono::seconds>(options_.reservation);
  LetGo(queue.advance.Settle(until, now, object));
  const bool any = !queue.writing.empty();
  const size_t left_out = std::erase_if(queue.writing, [&](Order& order) {
    if (advances::TakeIn(order.review.charge, until, options_.most_reservations, object)) return false;
    ledger_.LetGo(order.review.charge);
    order.review.answer(
        NotYet(Concat(Named(group), "too many of its objects wait to be seen; is huygens controller up?")));
    return true;
  });
  if (left_out > 0) MustBeJudged(queue.waiting);
  if (any && queue.writing.empty()) {
    queue.advance.NotWritten();
    queue.busy = false;
    return Next(group);
  }
  std::erase_if(object.reservations,
                [&](const QuotaReservation& each) { return each.kind == cluster::kRecallKind && each.until <= wall; });
  if (std::exchange(queue.recall, false)) {
    ++counts_.recalls;
    advances::Recall(options_.advance, wall, object);
  }
  queue.advance.Make(until, wall, now, object);
  queue.base = object.resource_version;
  queue.in_flight = true;
  queue.removals = ledger_.removals();
  queue.began = now;
  store_.Write(object, std::min(options_.write_timeout, LongestLeft(queue)),
               [this, group](StatusOr<BizGroupQuota> stored) { Written(group, std::move(stored)); });
}

void GroupCommit::Written(const std::string& group, StatusOr<BizGroupQuota> stored) {
  Queue& queue = queues_.find(group)->second;
  queue.in_flight = false;
  if (!stored.ok()) return Failed(group, queue, stored.status());
  ++counts_.writes;
  queue.backoff.Reset();
  queue.trouble.clear();
  queue.busy = false;
  for (Order& order : queue.waiting) {  // what is held beside them is in the group now, which makes no difference
    if (order.judged_by == queue.base) order.judged_by = stored->resource_version;
  }
  std::vector<Order> done = std::exchange(queue.writing, {});
  WriteAgainWhatIsOld(queue, done);
  for (const Order& order : done) ledger_.LetGo(order.review.charge);
  LetGo(queue.advance.Written());
  ledger_.SetAnswer(*std::move(stored), queue.removals);
  for (Order& order : done) {
    if (!order.review.answer) continue;
    ++counts_.charges;
    order.review.answer(std::move(order.judgement));
  }
  Gather(group, queue, done.size());
  Next(group);
}

// An answer that took long tells of a charge that may have stood for as long, and perhaps no more: see Stands.
void GroupCommit::WriteAgainWhatIsOld(Queue& queue, std::vector<Order>& written) const {
  if (environment_.monotonic() - queue.began < kFresh) return;
  const auto rest = std::stable_partition(written.begin(), written.end(), [](const Order& order) {
    return !order.review.answer || !order.review.charge.name_taken;
  });
  for (auto at = rest; at != written.end(); ++at) at->judged_by.reset();
  queue.waiting.insert(queue.waiting.begin(), std::move_iterator(rest), std::move_iterator(written.end()));
  written.erase(rest, written.end());
}

void GroupCommit::Gather(const std::string& group, Queue& queue, size_t answered) {
  const Duration took = environment_.monotonic() - queue.began;
  const Duration longest = std::min(took, options_.longest_gathering);
  const bool by_themselves =
      std::any_of(queue.waiting.begin(), queue.waiting.end(), [](const Order& order) { return order.alone; });
  queue.expected = answered;
  if (longest <= Duration::zero() || queue.expected < 2 || by_themselves) return;
  queue.gathering = ++gatherings_;
  environment_.after(longest, [this, group, number = queue.gathering] {
    const auto found = queues_.find(group);
    if (found == queues_.end() || found->second.gathering != number) return;  // they came
    found->second.gathering = 0;
    Next(group);
  });
}

void GroupCommit::Failed(const std::string& group, Queue& queue, const Status& why) {
  const bool conflict = absl::IsAborted(why);
  ++(conflict ? counts_.conflicts : counts_.failures);
  queue.trouble = Message(why);
  if (absl::IsFailedPrecondition(why)) return NeverTaken(group, queue);
  if (conflict) {
    queue.advance.NotWritten();
  } else {
    queue.advance.PerhapsWritten(queue.base);
  }
  const BizGroupQuota* known = ledger_.Find(group);
  if (conflict && known != nullptr && known->resource_version != queue.base) {  // the watch told first
    queue.busy = false;
    JudgeAgain(queue, false);
    return Next(group);
  }
  if (conflict) return ReadAnew(group);
  environment_.after(queue.backoff.Next(), [this, group] { ReadAnew(group); });
}

void GroupCommit::NeverTaken(const std::string& group, Queue& queue) {
  LetGo(queue.advance.Refused());
  Expire(queue);
  if (queue.writing.size() == 1) {
    Order& order = queue.writing.front();
    ledger_.LetGo(order.review.charge);
    order.review.answer(NotYet(Concat(Named(group), "the API server does not take the charge: ", queue.trouble)));
    queue.writing.clear();
    MustBeJudged(queue.waiting);
  }
  for (Order& order : queue.writing) order.alone = true;
  queue.waiting.insert(queue.waiting.begin(), std::move_iterator(queue.writing.begin()),
                       std::move_iterator(queue.writing.end()));
  queue.writing.clear();
  queue.busy = false;
  Next(group);
}

void GroupCommit::ReadAnew(const std::string& group) {
  Queue& queue = queues_.find(group)->second;
  Expire(queue);
  if (queue.writing.empty() && queue.waiting.empty() && !queue.advance.AnythingAnswered()) {
    queue.busy = false;
    return Next(group);
  }
  queue.removals = ledger_.removals();
  store_.Read(group, std::min(options_.write_timeout, LongestLeft(queue)),
              [this, group](StatusOr<BizGroupQuota> read) { HaveRead(group, std::move(read)); });
}

void GroupCommit::HaveRead(const std::string& group, StatusOr<BizGroupQuota> read) {
  Queue& queue = queues_.find(group)->second;
  if (!read.ok() && !absl::IsNotFound(read.status())) {
    ++counts_.failures;
    queue.trouble = Message(read.status());
    return environment_.after(queue.backoff.Next(), [this, group] { ReadAnew(group); });
  }
  const bool there = read.ok() && ledger_.SetAnswer(*std::move(read), queue.removals);
  if (!there) ledger_.Remove(group);
  queue.busy = false;
  JudgeAgain(queue, there);
  Next(group);
}

// Whether it was written before, by a call whose answer got lost, and that within the last second: from an older one, of
// which nobody said yes, the controller may be about to take the name for another object's, who goes just now.
bool GroupCommit::Stands(const Charge& charge) const {
  const BizGroupQuota* known = ledger_.Find(charge.group);
  if (known == nullptr || !charge.increase.empty()) return false;
  const Time needed = environment_.clock.Now() + options_.reservation;
  return std::any_of(known->reservations.begin(), known->reservations.end(), [&](const QuotaReservation& each) {
    quota::Amounts lacking = quota::Increase(charge.reservation.amounts, each.amounts);
    quota::RemoveZeros(lacking);
    return each.uid == charge.reservation.uid && each.kind == charge.reservation.kind && each.until >= needed &&
           lacking.empty();
  });
}

// In the order in which they came, as if nothing of it had been judged before; but what was refused stays so.
void GroupCommit::JudgeAgain(Queue& queue, bool just_read) {
  Expire(queue);  // first, or one would be judged beside a charge that goes
  std::deque<Order> orders(std::move_iterator(queue.writing.begin()), std::move_iterator(queue.writing.end()));
  queue.writing.clear();
  std::move(queue.waiting.begin(), queue.waiting.end(), std::back_inserter(orders));
  queue.waiting.clear();
  for (const Order& order : orders) ledger_.LetGo(order.review.charge);
  for (Order& order : orders) {
    order.judgement = order.review.judge();
    // What is charged to another group now would have to queue there: whoever asks again is judged from the start.
    const auto& charge = order.judgement.charge;
    if (order.judgement.allowed && charge && charge->group != order.review.charge.group) {
      order.judgement = NotYet(Concat(Named(order.review.charge.group), "it has changed meanwhile"));
    }
    if (!order.judgement.allowed || !order.judgement.charge) {
      order.review.answer(std::move(order.judgement));
      continue;
    }
    order.review.charge = *order.judgement.charge;
    if (just_read && Stands(order.review.charge)) {
      ++counts_.charges;
      order.review.answer(std::move(order.judgement));
      continue;
    }
    ledger_.Hold(order.review.charge);
    order.judged_by = VersionOf(order.review.charge.group);
    queue.waiting.push_back(std::move(order));
  }
}

void GroupCommit::Expire(Queue& queue) {
  const Duration now = environment_.monotonic() + options_.margin;
  const auto is_over = [&](Order& order) {
    if (!order.review.answer) return true;
    if (order.review.deadline > now) return false;
    ++counts_.expired;
    std::exchange(order.review.answer,
                  nullptr)(NotYet(Concat(Named(order.review.charge.group), "the charge could not be written in time",
                                         queue.trouble.empty() ? "" : ": ", queue.trouble)));
    return true;
  };
  const auto goes = [&](Order& order) {
    if (!is_over(order)) return false;
    ledger_.LetGo(order.review.charge);
    return true;
  };
  size_t gone = 0;
  if (queue.in_flight) {
    for (Order& order : queue.writing) is_over(order);
  } else {
    gone += std::erase_if(queue.writing, goes);
  }
  gone += std::erase_if(queue.waiting, goes);
  if (gone == 0) return;
  MustBeJudged(queue.writing);
  MustBeJudged(queue.waiting);
}

void GroupCommit::WakeBy(const std::string& group, Duration at) {
  const auto [found, is_new] = wakes_.try_emplace(group, at);
  if (!is_new && found->second <= at) return;
  found->second = at;
  environment_.after(std::max<Duration>(at - environment_.monotonic(), Duration::zero()),
                     [this, group, at] { Wake(group, at); });
}

void GroupCommit::Wake(const std::string& group, Duration at) {
  const auto wake = wakes_.find(group);
  if (wake == wakes_.end() || wake->second != at) return;  // an earlier one came
  wakes_.erase(wake);
  const auto found = queues_.find(group);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  Expire(queue);
  std::optional<Duration> next;
  const auto look_at = [&](const Order& order) {
    if (order.review.answer) next = std::min(next.value_or(order.review.deadline), order.review.deadline);
  };
  std::for_each(queue.writing.begin(), queue.writing.end(), look_at);
  std::for_each(queue.waiting.begin(), queue.waiting.end(), look_at);
  if (next) WakeBy(group, *next - options_.margin);
}

std::string GroupCommit::VersionOf(const std::string& group) const {
  const BizGroupQuota* known = ledger_.Find(group);
  return known == nullptr ? std::string() : known->resource_version;
}

Duration GroupCommit::LongestLeft(const Queue& queue) const {
  if (queue.writing.empty() && queue.waiting.empty()) return options_.write_timeout;
  Duration latest{};
  for (const Order& order : queue.writing) latest = std::max(latest, order.review.deadline);
  for (const Order& order : queue.waiting) latest = std::max(latest, order.review.deadline);
  return std::max<Duration>(latest - options_.margin - environment_.monotonic(), std::chrono::milliseconds(1));
}

}  // namespace huygens::webhook
