#include "pinner/book.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "pinning/adopted.h"
#include "pinning/steps.h"

namespace huygens::pinner {
namespace {

using pinning::CpuSet;
using pinning::Pool;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A container that NRI was asked about and that never appears: its creation failed.
constexpr Duration kAppearsWithin = seconds(30);

// The first writes that are lost are repeated at once: the start is over in a moment.
Duration WaitAfter(int failures) {
  if (failures <= 3) return milliseconds(0);
  if (failures <= 5) return milliseconds(200);
  return failures <= 8 ? seconds(5) : seconds(60);
}

pinning::PodAsk Ask(const runtime::Pod& pod, std::string_view node) {
  return pinning::AskOf(pinning::TextsOf(pod.uid, node, [&](std::string_view key) -> std::optional<std::string_view> {
    const auto at = pod.annotations.find(key);
    if (at == pod.annotations.end()) return std::nullopt;
    return at->second;
  }));
}

}  // namespace

void Book::SetNode(std::shared_ptr<const pinning::NodeCpus> node) {
  node_ = std::move(node);
  dirty_ = true;
}

void Book::SetSidecars(std::map<std::string, std::set<std::string>> sidecars) {
  if (sidecars == sidecars_) return;
  sidecars_ = std::move(sidecars);
  dirty_ = true;
}

void Book::Put(const runtime::Container& container, Duration now, bool started) {
  const auto [at, is_new] = entries_.try_emplace(container.id);
  Entry& entry = at->second;
  if (is_new) {
    entry.sequence = next_sequence_++;
    entry.put_at = now;
    dirty_ = true;
  }
  const int cpus =
      pinning::WholeCpus(container.resources.cpu_shares, container.resources.cpu_quota, container.resources.cpu_period);
  // What a runtime leaves out of an event does not mean that it is not there.
  const bool tells = container.resources.cpu_shares.has_value();
  const bool pod_changed = entry.pod == nullptr || entry.pod->ready != container.pod->ready ||
                           (UidOf(*entry.pod) != UidOf(*container.pod) && !container.pod->uid.empty());
  if (pod_changed) {
    entry.pod = container.pod;
    dirty_ = true;
  }
  if (tells && entry.cpus != cpus) {
    entry.cpus = cpus;
    dirty_ = true;
  }
  entry.name = container.name;
  if (container.state == runtime::ContainerState::kExited) return Exit(container.id);
  const bool runs = container.state == runtime::ContainerState::kRunning;
  if (runs && (!entry.running || started)) {
    entry.fresh = entry.fresh || (started && !entry.was_there);
    if (!entry.running) dirty_ = true;
    entry.running = true;
    entry.held.reset();  // to be read; a write that came before it ran may be lost
    entry.not_before = {};
  }
}

void Book::Exit(std::string_view id) {
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.exited) return;
  at->second.exited = true;
  at->second.running = false;
  at->second.held.reset();
  dirty_ = true;
}

void Book::Replace(const std::vector<runtime::Container>& all, Duration listed_at) {
  std::set<std::string_view> there;
  for (const runtime::Container& each : all) {
    there.insert(each.id);
    Put(each, listed_at, false);
    entries_.find(each.id)->second.created_by_us = false;
  }
  for (auto at = entries_.begin(); at != entries_.end();) {
    const Entry& entry = at->second;
    const Duration grace = entry.created_by_us && !entry.exited ? kAppearsWithin : Duration{};
    const bool gone = !there.contains(at->first) && entry.put_at + grace < listed_at;
    if (gone) dirty_ = true;
    at = gone ? entries_.erase(at) : std::next(at);
  }
  listed_ = true;
  SeeSettled();
}

void Book::SeeSettled() {
  if (settled_ || !listed_ || node_ == nullptr) return;
  std::map<std::string, CpuSet, std::less<>> running;
  for (const auto& [id, entry] : entries_) {
    if (!entry.running) continue;
    // One that cannot be read is not waited for: it counts as running anywhere.
    if (!entry.held && !unreadable_ && entry.misses < 3) return;
    if (entry.held) running[id] = *entry.held;
  }
  pinning::AdoptRunning(*node_, LivePods(), running, assignment_.pods);
  settled_ = true;
  dirty_ = true;
}

const pinning::PodAsk& Book::AskOf(const runtime::Pod& pod) {
  auto& [sandbox, ask] = asks_[UidOf(pod)];
  if (sandbox != pod.sandbox_id || sandbox.empty()) {
    sandbox = pod.sandbox_id;
    ask = Ask(pod, node_name_);
  }
  return ask;
}

int Book::CpusOf(const Entry& entry) const {
  const auto pod = sidecars_.find(entry.pod->uid);
  return pod != sidecars_.end() && pod->second.contains(entry.name) ? 0 : entry.cpus;
}

std::vector<pinning::LivePod> Book::LivePods() {
  std::vector<Entries::const_iterator> ordered;
  for (auto at = entries_.cbegin(); at != entries_.cend(); ++at) ordered.push_back(at);
  std::ranges::sort(ordered, {}, [](const auto& at) { return at->second.sequence; });
  std::vector<pinning::LivePod> pods;
  std::map<std::string, size_t> index;
  std::set<std::string> live;
  for (const auto& at : ordered) {
    const Entry& entry = at->second;
    // A pod holds its CPUs while its sandbox is ready, also between two lives of its containers.
    if (entry.pod->ready || !entry.exited) live.insert(UidOf(*entry.pod));
  }
  for (const auto& at : ordered) {
    const Entry& entry = at->second;
    const std::string uid = UidOf(*entry.pod);
    if (!live.contains(uid)) continue;
    const auto [found, is_new] = index.try_emplace(uid, pods.size());
    if (is_new) {
      pods.push_back({uid, Concat(entry.pod->namespace_name, "/", entry.pod->name), AskOf(*entry.pod), {}});
    }
    if (!entry.exited) pods[found->second].containers.push_back({at->first, entry.name, CpusOf(entry)});
  }
  std::erase_if(asks_, [&](const auto& each) { return !live.contains(each.first); });
  return pods;
}

bool Book::Reassign() {
  if (!dirty_ || !settled_ || node_ == nullptr) return false;
  dirty_ = false;
  const std::vector<pinning::LivePod> pods = LivePods();
  assignment_ = pinning::Assign(*node_, pods, assignment_.pods);
  Place(pods);
  std::set<std::string> conflicts(assignment_.conflicts.begin(), assignment_.conflicts.end());
  for (const std::string& each : conflicts) {
    if (!told_conflicts_.contains(each)) notes_.push_back({.kind = NoteKind::kConflict, .text = each});
  }
  told_conflicts_ = std::move(conflicts);
  return true;
}

void Book::Place(const std::vector<pinning::LivePod>& pods) {
  for (const pinning::LivePod& pod : pods) {
    for (const pinning::LiveContainer& each : pod.containers) {
      Entry& entry = entries_.find(each.id)->second;
      pinning::Place place = pinning::PlaceOf(*node_, assignment_, pod, each);
      if (!(place.cpus == entry.place.cpus)) {
        entry.lost = 0;
        entry.not_before = {};
        entry.had_its_place = false;
      }
      entry.place = std::move(place);
      const bool wants = pod.ask.pool != Pool::kShared && each.cpus > 0;
      if (wants && entry.place.pool == Pool::kShared) {
        Tell(NoteKind::kNotPinned, entry, entry.place.why);
      } else if (entry.running && Verified(entry)) {
        Reached(entry);
      }
    }
  }
}

std::map<std::string, std::string, std::less<>> Book::PodNames() const {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& [id, entry] : entries_) {
    names[UidOf(*entry.pod)] = Concat(entry.pod->namespace_name, "/", entry.pod->name);
  }
  return names;
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
  std::vector<pinning::Holder> holders;
  for (const auto& [id, entry] : entries_) {
    if (!entry.running || entry.place.cpus.empty()) continue;
    holders.push_back({.id = id,
                       .owner = Concat(UidOf(*entry.pod), "/", entry.name),
                       .pool = entry.place.pool,
                       .target = entry.place.cpus,
                       .held = entry.held.value_or(node_->online),
                       .busy = entry.busy || now < entry.not_before,
                       .stuck = entry.lost > 3});
  }
  const auto write = [&](const std::string& id, const CpuSet& to) {
    Entry& entry = entries_.find(id)->second;
    entry.busy = true;
    entry.asked = to;
    Job job{.write = id, .to = {.cpus = pinning::ListOf(to)}};
    if (entry.fresh && to == entry.place.cpus) job.to.mems = machine::FormatIdList(entry.place.mems);
    return job;
  };
  for (const pinning::Step& step : pinning::StepsNow(std::move(holders), assignment_.shared))
    return write(step.id, step.to);
  for (const auto& [id, entry] : entries_) {
    // Memory nodes go with the CPUs; where those are right from the start, by themselves.
    const bool mems = entry.fresh && Verified(entry) && !entry.place.mems.empty() &&
                      entry.mems != machine::FormatIdList(entry.place.mems);
    if (mems && entry.running && !entry.busy && now >= entry.not_before) return write(id, entry.place.cpus);
  }
  if (Job job = take([](const Entry& entry) { return entry.read_due; }); !job.read.empty()) return job;
  return std::nullopt;
}

std::optional<Duration> Book::NextDue() const {
  std::optional<Duration> due;
  for (const auto& [id, entry] : entries_) {
    if (!entry.running || entry.busy || entry.not_before == Duration{}) continue;
    const bool waits = !entry.held || !(*entry.held == entry.place.cpus);
    if (waits && (!due || entry.not_before < *due)) due = entry.not_before;
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
    if (entry.had_its_place && !(*set == entry.place.cpus) && !entry.drifted) {
      entry.drifted = true;
      ++counts_.repaired;
    }
    entry.held = *set;
    entry.mems = found->mems;
    entry.misses = 0;
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
  if (!status.ok()) {
    if (status.code() == absl::StatusCode::kNotFound) {
      doubt_ = true;
      return Exit(id);
    }
    ++counts_.failed;
    if (status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kDeadlineExceeded) {
      entry.not_before = now + milliseconds(500);  // the runtime is away: that says nothing of the container
      return;
    }
    entry.not_before = now + std::max<Duration>(WaitAfter(++entry.lost), milliseconds(200));
    if (entry.lost == 3) Tell(NoteKind::kFailed, entry, std::string(Message(status)));
    return;
  }
  ++counts_.written;
  const StatusOr<CpuSet> wanted = pinning::ParseSet(to.cpus);
  const StatusOr<CpuSet> set = found.ok() ? pinning::ParseSet(found->cpus) : found.status();
  if (!set.ok()) {
    if (set.status().code() == absl::StatusCode::kFailedPrecondition) {
      unreadable_ = true;
      entry.held = *wanted;
      if (Verified(entry)) Reached(entry);
    } else {
      entry.held.reset();
      entry.not_before = now + milliseconds(50);
    }
    return;
  }
  entry.held = *set;
  entry.mems = found->mems;
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

void Book::Reached(Entry& entry) {
  const bool drifted = std::exchange(entry.drifted, false);
  entry.had_its_place = true;
  entry.was_there = true;
  if (entry.place.mems.empty() || entry.mems == machine::FormatIdList(entry.place.mems)) entry.fresh = false;
  if (entry.place.pool == Pool::kShared && !drifted) return;
  if (!drifted && entry.told_cpus == entry.place.cpus) return;
  entry.told_cpus = entry.place.cpus;
  entry.told.clear();
  Tell(drifted ? NoteKind::kRepaired : NoteKind::kPinned, entry, entry.place.why);
}

void Book::Tell(NoteKind kind, Entry& entry, std::string text) {
  if (kind == NoteKind::kNotPinned || kind == NoteKind::kFailed) {
    if (entry.told == text) return;
    entry.told = text;
  }
  notes_.push_back({kind, entry.pod->uid, entry.pod->namespace_name, entry.pod->name, entry.name, entry.place.pool,
                    pinning::ListOf(entry.place.cpus), std::move(text)});
}

bool Book::Short() const {
  return std::ranges::any_of(assignment_.pods, [](const auto& each) { return !each.second.why.empty(); });
}

PinGauges Book::Gauges() const {
  PinGauges gauges;
  for (const auto& [id, entry] : entries_) {
    if (!entry.running) continue;
    ++gauges.containers[static_cast<size_t>(entry.place.pool)];
    gauges.waiting += entry.held && *entry.held == entry.place.cpus ? 0 : 1;
  }
  gauges.exclusive_cpus = assignment_.exclusive.Count();
  gauges.shared_cpus = assignment_.shared.Count();
  return gauges;
}

}  // namespace huygens::pinner
