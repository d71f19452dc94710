// Writes charges into the status of groups before the yes is said, as many as wait with one write. Reviews of one group
// queue while a write of its status is on its way; the next write carries all that came meanwhile, in the order in which
// they came. So a hot group costs a write per round trip and not per review, and this instance never competes with
// itself.
//
// Clients that were just answered often ask again at once. So after a write that carried several the next one waits
// until it has as many to carry, but no longer than the last one took: fewer writes carry all, as with commit_delay and
// commit_siblings of PostgreSQL.
//
// Another instance may write in between: then the API server refuses the write (409), the group is read anew and the
// reviews of the batch are judged again by what is left, in the same order. So are those that wait while the group turns
// out to be another than they were judged by, or while a charge goes that they were judged beside. No is said at once
// and stays; yes only when the charge stands. What could not be written by a review's deadline is answered with 503 at
// that time, and what of it was written all the same is a reservation that ends by itself.
//
// A batch that the API server never takes (422) is written charge by charge, so that a bad one stops no others.
//
// A charge that was written in an answer that got lost is found again by its UID, so that nothing is charged twice; but
// it is written again where it is older than a second, with a new time, by which the controller knows it for a new one.
// Of a busy group some is written ahead of need, if the options say so, out of which creations are answered at once; their
// reservations are in the next write (advances/advance.h).
//
// Owned by the thread of the service's loop; `store` makes its calls on others.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advances/advance.h"
#include "base/backoff.h"
#include "base/time.h"
#include "webhook/judgement.h"
#include "webhook/ledger.h"
#include "webhook/status_store.h"

namespace huygens::webhook {

struct GroupCommitOptions {
  Duration longest_request =
      std::chrono::seconds(60);  // of an API server, from our answer to the object (--request-timeout)
  Duration reservation = std::chrono::seconds(90);  // longer, for clocks that differ
  Duration write_timeout = std::chrono::seconds(3);
  Duration margin = std::chrono::milliseconds(200);            // before the deadline, for the answer
  Duration longest_gathering = std::chrono::milliseconds(10);  // 0: a write never waits for more to carry
  size_t most_waiting = 2000;                                  // reviews of one group
  size_t most_reservations = 2000;                             // some 300 KB of status; etcd takes 1.5 MB
  advances::AdvanceOptions advance = {};
};

struct GroupCommitCounts {
  uint64_t writes = 0;     // that succeeded
  uint64_t conflicts = 0;  // 409
  uint64_t failures = 0;   // of writes and reads, without conflicts
  uint64_t charges = 0;    // of reviews that were answered with yes
  uint64_t expired = 0;    // reviews whose deadline came first
  uint64_t advanced = 0;   // of `charges`: at once, out of an advance
  uint64_t recalls = 0;    // of advances of other instances, written
};

class GroupCommit {
 public:
  struct Review {
    Charge charge;
    Duration deadline{};                    // by the monotonic clock
    std::function<Judgement()> judge;       // again, by what is known then
    std::function<void(Judgement)> answer;  // once
  };
  struct Environment {
    const Clock& clock;
    std::function<Duration()> monotonic;
    // Calls the task once after this time, on the same thread; not when this object is gone.
    std::function<void(Duration, std::function<void()>)> after;
    Random random;
  };

  // `ledger` and `store` must outlive it.
  GroupCommit(Ledger& ledger, StatusStore& store, Environment environment, GroupCommitOptions options = {});

  // `first` is what the review was just judged by ledger, with a charge.
  void Submit(Review review, const Judgement& first);
  // Reads a group that no watch has told of, before it is said that there is none; `then` gets OK when it is in the
  // ledger, NotFound when there is none. Once for all who ask meanwhile.
  void LookUp(const std::string& group, Duration deadline, std::function<void(Status)> then);

  // Whether advances stand in the group.
  bool AnyAdvance(const std::string& group) const;
  // Whether what the group lacks may be what other instances keep of it ahead of need. Nothing: not known how much.
  bool MayBeHeld(const std::string& group, const quota::Amounts& lacking) const;
  // Asks all instances to give back what they keep of the group, this one too. Not from within an answer.
  void Recall(const std::string& group);
  // No advances from now on; those that stand are given back.
  void GiveAdvancesBack();

  const GroupCommitCounts& counts() const { return counts_; }

 private:
  struct Order {
    Review review;  // without `answer` once that was given, while the write is on its way still
    Judgement judgement;
    std::optional<std::string> judged_by;  // the resource version of the group; nothing: is to be judged again
    bool alone = false;                    // written by itself: a batch with it was refused
  };
  struct Queue {
    Queue(Backoff pauses, const advances::AdvanceOptions& options) : backoff(std::move(pauses)), advance(options) {}
    std::deque<Order> waiting;
    std::vector<Order> writing;
    std::string base;        // the resource version that is being written upon
    uint64_t removals = 0;   // of the ledger, when the last call began
    Duration began{};        // the last write
    uint64_t gathering = 0;  // not 0: a number of its own for this time of waiting until `expected` reviews wait
    size_t expected = 0;
    bool busy = false;       // a write, a read or a pause is on its way
    bool in_flight = false;  // a write is
    std::string trouble;     // of the last call
    Backoff backoff;
    advances::Advance advance;
    bool recall = false;  // is to be written
    std::optional<Duration> recalled;
    uint64_t tick = 0;  // not 0: a number of its own for the next look at the advance
  };

  Queue& QueueOf(const std::string& group);
  bool AnswerFromAdvance(Queue& queue, Review& review, const Judgement& judgement);
  void Next(const std::string& group);
  void Tick(const std::string& group, Queue& queue);
  void LetGo(const std::vector<Charge>& charges);
  void WriteAgainWhatIsOld(Queue& queue, std::vector<Order>& written) const;
  // After a write that carried `answered` reviews.
  void Gather(const std::string& group, Queue& queue, size_t answered);
  void WriteBatch(const std::string& group, Queue& queue, cluster::BizGroupQuota object);
  void Written(const std::string& group, StatusOr<cluster::BizGroupQuota> stored);
  void Failed(const std::string& group, Queue& queue, const Status& why);
  void NeverTaken(const std::string& group, Queue& queue);
  void ReadAnew(const std::string& group);
  void HaveRead(const std::string& group, StatusOr<cluster::BizGroupQuota> read);
  // `just_read`: the group, from the API server.
  void JudgeAgain(Queue& queue, bool just_read);
  bool Stands(const Charge& charge) const;
  // Answers those whose deadline comes, and drops them but for those whose charge is being written.
  void Expire(Queue& queue);
  // Sees to it that those of the group that this time is the last for are answered then.
  void WakeBy(const std::string& group, Duration at);
  void Wake(const std::string& group, Duration at);
  std::string VersionOf(const std::string& group) const;
  Duration LongestLeft(const Queue& queue) const;

  Ledger& ledger_;
  StatusStore& store_;
  const Environment environment_;
  const GroupCommitOptions options_;
  std::map<std::string, Queue, std::less<>> queues_;
  std::map<std::string, std::vector<std::function<void(Status)>>, std::less<>> lookups_;
  std::map<std::string, Duration, std::less<>> wakes_;  // by group: when its earliest timer ends
  uint64_t gatherings_ = 0;
  GroupCommitCounts counts_;
};

}  // namespace huygens::webhook
