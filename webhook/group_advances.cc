// What GroupCommit does on account of advances alone.
#include <utility>
#include <vector>

#include "webhook/group_commit.h"

namespace huygens::webhook {
namespace {

// The watch tells of one that was written within that time.
constexpr Duration kRecallAgain = std::chrono::seconds(1);

}  // namespace

bool GroupCommit::AnswerFromAdvance(Queue& queue, Review& review, const Judgement& judgement) {
  const cluster::BizGroupQuota* known = ledger_.Find(review.charge.group);
  if (known == nullptr || known->reservations.size() >= options_.most_reservations) return false;
  if (!queue.advance.Covers(*known, review.charge, environment_.clock.Now())) return false;
  ledger_.Hold(review.charge);
  queue.advance.Answer(review.charge, *known, environment_.monotonic());
  ++counts_.charges;
  ++counts_.advanced;
  if (queue.advance.IsDue(*known, environment_.clock.Now(), environment_.monotonic())) {
    environment_.after(Duration::zero(), [this, group = review.charge.group] { Next(group); });
  }
  Tick(review.charge.group, queue);
  review.answer(judgement);
  return true;
}

void GroupCommit::Tick(const std::string& group, Queue& queue) {
  if (queue.tick != 0) return;
  queue.tick = ++gatherings_;
  environment_.after(options_.advance.write_after, [this, group, number = queue.tick] {
    const auto found = queues_.find(group);
    if (found == queues_.end() || found->second.tick != number) return;
    found->second.tick = 0;
    Next(group);
  });
}

void GroupCommit::LetGo(const std::vector<Charge>& charges) {
  for (const Charge& each : charges) ledger_.LetGo(each);
}

bool GroupCommit::AnyAdvance(const std::string& group) const {
  const cluster::BizGroupQuota* known = ledger_.Find(group);
  return known != nullptr && advances::HasAdvances(*known);
}

bool GroupCommit::MayBeHeld(const std::string& group, const quota::Amounts& lacking) const {
  const cluster::BizGroupQuota* known = ledger_.Find(group);
  if (known == nullptr) return false;
  const quota::Amounts held = advances::AdvancesBeside(*known, options_.advance.instance);
  if (held.empty()) return false;
  for (const auto& [key, amount] : lacking) {
    if (quota::Get(held, key) < amount) return false;
  }
  return true;
}

void GroupCommit::Recall(const std::string& group) {
  const cluster::BizGroupQuota* known = ledger_.Find(group);
  if (known == nullptr || !advances::HasAdvances(*known)) return;
  Queue& queue = QueueOf(group);
  const Duration now = environment_.monotonic();
  const bool just_written = queue.recalled && now - *queue.recalled < kRecallAgain;
  if (!just_written && !advances::IsRecalled(*known, environment_.clock.Now())) {
    queue.recall = true;
    queue.recalled = now;
  }
  Next(group);
}

void GroupCommit::GiveAdvancesBack() {
  std::vector<std::string> groups;
  groups.reserve(queues_.size());
  for (auto& [group, queue] : queues_) {
    queue.advance.Stop();
    groups.push_back(group);
  }
  for (const std::string& each : groups) Next(each);
}

}  // namespace huygens::webhook
