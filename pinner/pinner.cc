#include "pinner/pinner.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace huygens::pinner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kListOften = milliseconds(150);
constexpr Duration kListAgainAfterFault = seconds(1);

}  // namespace

Pinner::Pinner(PinnerOptions options, runtime::ContainerRuntime& runtime, Tell tell, std::function<Duration()> now)
    : options_(std::move(options)),
      runtime_(runtime),
      tell_(std::move(tell)),
      now_(std::move(now)),
      book_(options_.node_name),
      store_(options_.state_file) {}

Status Pinner::Start() {
  HUYGENS_ASSIGN_OR_RETURN(KeptState kept, store_.Load());
  if (!kept.fault.empty()) own_notes_.push_back({.kind = NoteKind::kState, .text = std::move(kept.fault)});
  book_.Restore(std::move(kept.pods));
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Work(); });
  return absl::OkStatus();
}

void Pinner::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& each : threads_) each.join();
  threads_.clear();
}

void Pinner::Manage(std::shared_ptr<const pinning::NodeCpus> node) {
  const std::lock_guard lock(mutex_);
  managing_ = node != nullptr;
  book_.SetNode(std::move(node));
  list_due_ = true;
  Changed();
}

void Pinner::SetSidecars(std::map<std::string, std::set<std::string>> sidecars) {
  const std::lock_guard lock(mutex_);
  book_.SetSidecars(std::move(sidecars));
  Changed();
}

PinCounts Pinner::counts() const {
  const std::lock_guard lock(mutex_);
  return book_.counts();
}

PinGauges Pinner::gauges() const {
  const std::lock_guard lock(mutex_);
  return book_.Gauges();
}

std::string Pinner::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_.empty() ? save_fault_ : trouble_;
}

std::string Pinner::nri_fault() const {
  const std::lock_guard lock(mutex_);
  return nri_fault_;
}

void Pinner::OnCreated(const runtime::Container& container) {
  const std::lock_guard lock(mutex_);
  book_.Put(container, now_(), false);
  Changed();
}

void Pinner::OnStarted(const runtime::Container& container) {
  const std::lock_guard lock(mutex_);
  book_.Put(container, now_(), true);
  Changed();
}

void Pinner::OnStopped(const runtime::Container& container) {
  const std::lock_guard lock(mutex_);
  book_.Exit(container.id);
  ListSoon();  // whether its pod has ended, too, no event tells
  Changed();
}

void Pinner::OnResync(std::string_view) {
  const std::lock_guard lock(mutex_);
  list_due_ = true;
  Changed();
}

void Pinner::OnSynchronize(std::vector<runtime::Container>) { OnResync(""); }

void Pinner::OnPod(const runtime::Pod&) {}

StatusOr<runtime::CreationAnswer> Pinner::OnCreate(const runtime::Container& container) {
  const std::lock_guard lock(mutex_);
  if (!managing_ || !book_.Settled()) return runtime::CreationAnswer{};
  const Duration now = now_();
  book_.Put(container, now, false);
  Decide();
  runtime::CreationAnswer answer = book_.Create(container, now);
  Changed();
  return answer;
}

runtime::Cpuset Pinner::OnUpdate(const runtime::Container& container, const runtime::Resources& asked) {
  const std::lock_guard lock(mutex_);
  return managing_ ? book_.Guard(container.id, asked) : runtime::Cpuset{};
}

std::vector<runtime::OtherUpdate> Pinner::OnStop(const runtime::Container& container) {
  OnStopped(container);
  return {};  // who may have more now gets it without anybody waiting for it
}

void Pinner::OnConnection(bool connected, std::string_view why) {
  const std::lock_guard lock(mutex_);
  nri_fault_ = connected ? "" : why;
}

void Pinner::Decide() {
  const bool was_short = book_.Short();
  if (!book_.Reassign() && save_fault_.empty()) return;
  if (book_.Short() && !was_short) ListSoon();  // perhaps somebody has ended of whom nothing was heard
  const Status saved = store_.Save(book_.assignment().pods, book_.assignment().shared, book_.PodNames());
  std::string fault = saved.ok() ? "" : Concat("the state file cannot be written: ", Message(saved));
  if (fault != save_fault_ && !fault.empty()) own_notes_.push_back({.kind = NoteKind::kState, .text = fault});
  save_fault_ = std::move(fault);
}

void Pinner::List(std::unique_lock<std::mutex>& lock) {
  listing_ = true;
  list_due_ = false;
  const Duration began = now_();
  lock.unlock();
  const auto all = runtime_.List();
  lock.lock();
  listing_ = false;
  next_list_ = now_() + kListOften;
  trouble_ = std::string(Message(all.status()));
  if (all.ok()) {
    book_.Replace(*all, began);
  } else {
    list_due_ = true;
    next_list_ = now_() + kListAgainAfterFault;
  }
}

void Pinner::Do(const Job& job, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  if (job.write.empty()) {
    std::vector<StatusOr<runtime::Cpuset>> found;
    found.reserve(job.read.size());
    for (const std::string& id : job.read) found.push_back(runtime_.ReadCpuset(id));
    lock.lock();
    for (size_t i = 0; i < found.size(); ++i) book_.OnRead(job.read[i], found[i], now_());
    return;
  }
  const Status written = runtime_.UpdateCpus(job.write, job.to);
  const StatusOr<runtime::Cpuset> found = written.ok() ? runtime_.ReadCpuset(job.write) : written;
  lock.lock();
  book_.OnWritten(job.write, job.to, written, found, now_());
}

void Pinner::TellNotes(std::unique_lock<std::mutex>& lock) {
  std::vector<PinNote> notes = std::exchange(own_notes_, {});
  for (PinNote& each : book_.TakeNotes()) notes.push_back(std::move(each));
  if (notes.empty()) return;
  lock.unlock();
  for (PinNote& each : notes) tell_(std::move(each));
  lock.lock();
}

Duration Pinner::NextDue(Duration now) const {
  Duration due = next_repair_;
  if (const auto book = book_.NextDue()) due = std::min(due, *book);
  if (list_due_ || now < list_often_until_) due = std::min(due, next_list_);
  return std::max(due, now + milliseconds(1));
}

void Pinner::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    TellNotes(lock);
    if (stopping_) break;
    if (!managing_) {
      wake_.wait(lock);
      continue;
    }
    const Duration now = now_();
    list_due_ = book_.TakeDoubt() || list_due_;
    if ((list_due_ || now < list_often_until_) && !listing_ && now >= next_list_) {
      List(lock);
      continue;
    }
    Decide();
    if (now >= next_repair_) {
      next_repair_ = now + options_.repair_period;
      book_.ReadAll();
    }
    if (const auto job = book_.NextJob(now)) {
      wake_.notify_one();  // there may be more for another thread
      Do(*job, lock);
      continue;
    }
    wake_.wait_for(lock, NextDue(now) - now);
  }
}

}  // namespace huygens::pinner
