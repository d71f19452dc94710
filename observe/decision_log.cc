#include "observe/decision_log.h"

#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "observe/bounded_file.h"
#include "observe/log_limit.h"

namespace huygens::observe {

namespace {

// The same for every process, unlike the hash of a hash map: FNV-1a, then the finalizer of MurmurHash3 for an even
// spread.
uint64_t StableHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

// The queue, and the thread that empties it into the file.
class DecisionLog::Writer {
 public:
  Writer(const Options& options, const Clock& clock, Log& log)
      : options_(options), clock_(clock), log_(log), file_(options.path, options.max_bytes / 2) {}

  static void Start(const std::shared_ptr<Writer>& self) {
    self->thread_ = std::thread([self] { self->Loop(); });
  }

  void Add(std::shared_ptr<const DecisionRecord> record) {
    std::lock_guard lock(mutex_);
    size_t bytes = record->bytes();
    if (queued_bytes_ + bytes > options_.max_queued_bytes) {
      ++dropped_;
      return;
    }
    queued_bytes_ += bytes;
    queue_.push_back(std::move(record));
    wake_.notify_one();
  }

  void Flush() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return queue_.empty() && !writing_; });
  }

  void Stop() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    bool ended = idle_.wait_for(lock, options_.stop_patience, [this] { return ended_; });
    lock.unlock();
    if (ended) {
      thread_.join();
    } else {
      thread_.detach();  // inside a write that does not return; it holds what it needs
    }
  }

  uint64_t written() const {
    std::lock_guard lock(mutex_);
    return written_;
  }
  uint64_t dropped() const {
    std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) break;
      auto record = std::move(queue_.front());
      queue_.pop_front();
      queued_bytes_ -= record->bytes();
      writing_ = true;
      lock.unlock();
      bool good = Write(*record);
      record.reset();
      lock.lock();
      writing_ = false;
      ++(good ? written_ : dropped_);
      if (queue_.empty()) idle_.notify_all();
    }
    ended_ = true;
    idle_.notify_all();
  }

  bool Write(const DecisionRecord& record) {
    Time now = clock_.Now();
    if (retry_at_ && now < *retry_at_) return false;
    line_.clear();
    record.AppendJson(line_);
    line_ += '\n';
    Status status = file_.Append(line_);
    retry_at_.reset();
    if (absl::IsOutOfRange(status)) {  // the fault of this one decision
      if (oversize_.Changes("seen")) {
        log_.Warn("a decision was too large for the decision log; raise decisionLog.maxBytes",
                  {{"bytes", line_.size()}});
      }
      return false;
    }
    if (!status.ok()) retry_at_ = now + options_.retry_after;
    if (trouble_.Changes(Message(status))) {
      if (status.ok()) {
        log_.Info("decision log is written again", {{"path", options_.path}, {"dropped", dropped()}});
      } else {
        log_.Warn("decision log cannot be written; decisions are dropped from it",
                  {{"path", options_.path}, {"error", Message(status)}});
      }
    }
    return status.ok();
  }

  const Options options_;
  const Clock& clock_;
  Log& log_;
  // Of the thread alone.
  BoundedFile file_;
  std::string line_;
  std::optional<Time> retry_at_;
  StateChange trouble_;
  StateChange oversize_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::shared_ptr<const DecisionRecord>> queue_;
  size_t queued_bytes_ = 0;
  uint64_t written_ = 0;
  uint64_t dropped_ = 0;
  bool writing_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

DecisionLog::DecisionLog(const Options& options, const Clock& clock, Log& log) : sample_(options.sample) {
  if (options.path.empty()) return;
  writer_ = std::make_shared<Writer>(options, clock, log);
  Writer::Start(writer_);
}

DecisionLog::~DecisionLog() {
  if (writer_) writer_->Stop();
}

bool DecisionLog::Samples(std::string_view uid) const {
  return writer_ && std::ldexp(static_cast<double>(StableHash(uid) >> 11), -53) < sample_;
}

void DecisionLog::Add(std::shared_ptr<const DecisionRecord> record) {
  if (Samples(record->uid())) writer_->Add(std::move(record));
}

void DecisionLog::Flush() {
  if (writer_) writer_->Flush();
}

uint64_t DecisionLog::written() const { return writer_ ? writer_->written() : 0; }
uint64_t DecisionLog::dropped() const { return writer_ ? writer_->dropped() : 0; }

}  // namespace huygens::observe
