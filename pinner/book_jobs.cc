// What is to be read and written next, and what came of it.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "pinner/book.h"

namespace huygens::pinner {
namespace {

using pinning::CpuSet;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Longer than the runtime is waited for: by then a write whose answer never came is done, or never will be.
constexpr Duration kUncertainFor = seconds(15);

// The first writes that are lost are repeated at once: the start is over in a moment.
Duration WaitAfter(int failures) {
  if (failures <= 3) return milliseconds(0);
  if (failures <= 5) return milliseconds(200);
  return failures <= 8 ? seconds(5) : seconds(60);
}

}  // namespace

void Book::Forget(Entry& entry) {
  if (entry.held && !entry.newcomer) entry.may |= *entry.held;
  entry.held.reset();
}

void Book::SeeNewcomer(Entry& entry) const {
  const bool everywhere = node_ != nullptr && pinning::Within(node_->shared, *entry.held);
  if (!everywhere || *entry.held == entry.place.cpus || *entry.held == entry.asked) entry.newcomer = false;
}

CpuSet Book::MayHave(const Entry& entry) const {
  CpuSet may = entry.may;
  if (entry.exited) return {};
  if (entry.writing || !entry.running) may |= entry.asked;
  if (entry.newcomer || !entry.running) return may;
  if (entry.held) return may |= *entry.held;
  if (entry.was_read || !entry.asked.empty()) return may |= entry.asked;
  return may |= node_->online;
}

std::vector<pinning::Holder> Book::Holders(Duration now) const {
  std::vector<pinning::Holder> holders;
  holders.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) {
    // One that was created and does not run yet begins on what was answered; where nobody was asked it is no concern.
    const bool begins = !entry.running && !entry.exited && !entry.asked.empty();
    if ((!entry.running && !begins) || entry.place.cpus.empty()) continue;
    holders.push_back({.id = id,
                       .owner = Concat(UidOf(*entry.pod), "/", entry.name),
                       .pool = entry.place.pool,
                       .target = entry.place.cpus,
                       .held = MayHave(entry),
                       .busy = begins || entry.busy || now < entry.not_before,
                       .stuck = entry.lost > 3,
                       .newcomer = entry.newcomer});
  }
  return holders;
}

Job Book::Write(const std::string& id, const CpuSet& to) {
  Entry& entry = entries_.find(id)->second;
  entry.busy = true;
  entry.writing = true;
  entry.asked = to;
  Job job{.write = id, .to = {.cpus = pinning::ListOf(to)}};
  if (entry.fresh && to == entry.place.cpus) job.to.mems = machine::FormatIdList(entry.place.mems);
  return job;
}

std::optional<Job> Book::NextJob(Duration now) {
  if (node_ == nullptr || !listed_) return std::nullopt;
  const auto take = [&](const auto& wanted) {
    Job job;
    for (auto& [id, entry] : entries_) {
      if (!entry.running || entry.busy || now < entry.not_before || !wanted(entry)) continue;
      entry.busy = true;
      job.read.push_back(id);
    }
    return job;
  };
  if (Job job = take([](const Entry& entry) { return !entry.held.has_value(); }); !job.read.empty()) return job;
  if (!settled_) return std::nullopt;
  const pinning::Ground ground{.shared = assignment_.shared, .usable = node_->shared};
  const std::vector<pinning::Step> steps = pinning::StepsNow(Holders(now), ground);
  if (!steps.empty()) return Write(steps.front().id, steps.front().to);
  for (const auto& [id, entry] : entries_) {
    // Memory nodes go with the CPUs; where those are right from the start, by themselves.
    const bool mems = entry.fresh && Verified(entry) && !entry.place.mems.empty() &&
                      entry.mems != machine::FormatIdList(entry.place.mems);
    if (mems && entry.running && !entry.busy && now >= entry.not_before) return Write(id, entry.place.cpus);
  }
  if (Job job = take([](const Entry& entry) { return entry.read_due; }); !job.read.empty()) return job;
  return std::nullopt;
}

std::optional<Duration> Book::NextDue() const {
  std::optional<Duration> due;
  for (const auto& [id, entry] : entries_) {
    if (!entry.running || entry.busy || entry.not_before == Duration{}) continue;
    if (!Verified(entry) && (!due || entry.not_before < *due)) due = entry.not_before;
  }
  return due;
}

void Book::OnRead(std::string_view id, const StatusOr<runtime::Cpuset>& found, Duration now) {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return;
  Entry& entry = at->second;
  entry.busy = false;
  entry.read_due = false;
  if (!entry.running) return;
  const StatusOr<CpuSet> set = found.ok() ? pinning::ParseSet(found->cpus) : found.status();
  if (set.ok()) {
    // What was answered at its creation may not have been done.
    const bool first = !std::exchange(entry.was_read, true);
    if (first && settled_ && !entry.asked.empty()) entry.newcomer = true;
    const bool asked = entry.asked.empty() || *set == entry.asked;
    if ((asked && now >= entry.away_until) || now >= entry.may_until) entry.may = {};
    if (entry.had_its_place && !(*set == entry.place.cpus) && !(*set == entry.asked) && !entry.drifted) {
      entry.drifted = true;
      ++counts_.repaired;
    }
    entry.held = *set;
    entry.mems = found->mems;
    entry.misses = 0;
    SeeNewcomer(entry);
    if (Verified(entry)) Reached(entry);
  } else if (set.status().code() == absl::StatusCode::kFailedPrecondition) {
    // Nobody can look: what was written since it runs is believed, and all else written again.
    unreadable_ = true;
    if (!entry.held) entry.held = node_->online;
  } else {
    entry.not_before = now + (++entry.misses < 3 ? milliseconds(50) : milliseconds(2000));
    doubt_ = doubt_ || entry.misses >= 3;
  }
  SeeSettled();
}

void Book::OnWritten(std::string_view id, const runtime::Cpuset& to, const Status& status,
                     const StatusOr<runtime::Cpuset>& found, Duration now) {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return;
  Entry& entry = at->second;
  entry.busy = false;
  entry.writing = false;
  if (entry.exited) return;
  const StatusOr<CpuSet> wanted = pinning::ParseSet(to.cpus);
  if (!status.ok()) {
    if (status.code() == absl::StatusCode::kNotFound) {
      doubt_ = true;
      return Exit(id);
    }
    ++counts_.failed;
    if (status.code() != absl::StatusCode::kInvalidArgument) {
      // It may have been done, or may be done yet.
      entry.may |= *wanted;
      entry.may_until = entry.away_until = now + kUncertainFor;
      Forget(entry);
    }
    if (status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kDeadlineExceeded) {
      entry.not_before = now + milliseconds(500);  // the runtime is away: that says nothing of the container
      return;
    }
    entry.not_before = now + std::max<Duration>(WaitAfter(++entry.lost), milliseconds(200));
    if (entry.lost == 3) Tell(NoteKind::kFailed, entry, std::string(Message(status)));
    return;
  }
  ++counts_.written;
  const StatusOr<CpuSet> set = found.ok() ? pinning::ParseSet(found->cpus) : found.status();
  if (!set.ok()) {
    if (set.status().code() == absl::StatusCode::kFailedPrecondition) {
      unreadable_ = true;
      entry.held = *wanted;
      entry.may = {};
      entry.newcomer = false;
      if (Verified(entry)) Reached(entry);
    } else {
      entry.may |= *wanted;
      entry.may_until = now + kUncertainFor;
      Forget(entry);
      entry.not_before = now + milliseconds(50);
    }
    return;
  }
  // Whatever was written before has been done before.
  entry.held = *set;
  entry.may = {};
  entry.may_until = entry.away_until = {};
  entry.was_read = true;
  entry.mems = found->mems;
  SeeNewcomer(entry);
  if (*set == *wanted) {
    entry.lost = 0;
    entry.not_before = {};
    if (Verified(entry)) Reached(entry);
    return;
  }
  ++counts_.lost;
  entry.not_before = now + WaitAfter(++entry.lost);
  if (entry.lost == 5) {
    Tell(NoteKind::kFailed, entry,
         Concat("the runtime took CPUs ", to.cpus, ", but the kernel has ", pinning::ListOf(*set),
                ": somebody else writes this set, or a cgroup above it has fewer"));
  }
}

void Book::ReadAll() {
  if (unreadable_) return;
  for (auto& [id, entry] : entries_) entry.read_due = entry.running;
}

}  // namespace huygens::pinner
