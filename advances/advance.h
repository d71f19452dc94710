// What this instance keeps of a busy group ahead of need, so that it can say yes at once and write the charges of many
// later, with one write. The advance is an entry of status.reservations with the UID of the instance, and counts in `used`
// as any other, for whoever looks: other instances, the controller, parents, kubectl. What always holds:
//
// * It is made by the same write, upon the same version, as charges are, and never takes `used` beyond the budget; of each
//   key it takes at most a share of what is left, and nothing where little is. So used, reservations and advances together
//   stay below the budget at any moment (admission U2).
// * What was answered out of it stays below what stands of it in the API server, whichever of the versions that may stand
//   there does. It grows smaller only by the write that has the reservations of all that was answered. So each object that
//   may come is in `used`, by the advance or by its own reservation, and no room is given away twice.
// * It is used only as long as it outlives every object that a yes out of it may bring: the longest request of an API
//   server, and some seconds for clocks that differ. If this instance dies, it covers what was answered until it expires,
//   and is then lost to nobody: objects that came are seen, those that did not will not come.
// * The entry is numbered by its write, so that a write whose answer got lost is known to have been stored, even if what it
//   wrote beside was seen and taken out since: nothing is charged by it once more.
// * Only creations are answered out of it: what an object had before need not be known then. No child group is.
// * It has an entry for each key of the budget as it was known, and is not used once the budget has other keys. Charges
//   that were answered are written by the keys that the budget has then.
// * The ledger does not count it as used, so that this instance refuses nobody for what it keeps itself: a charge that
//   does not fit into the advance is written, and the advance is made smaller by that write.
// * Whoever lacks room that other instances keep, or makes a budget smaller or deletes it, writes an entry that recalls
//   advances. An instance that sees it writes what it answered and gives the rest back, and makes no other until the
//   entry's time is over.
// * A group that is idle for a second has none.
//
// One group of one instance; pure but for what it remembers. Times are of the clock that nobody sets, but for the end of
// reservations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advances/charge.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"

namespace huygens::advances {

struct AdvanceOptions {
  bool on = false;
  std::string instance;  // a UID that no other process has, nor this one had before it was restarted
  std::string name;      // for people
  int64_t share = 8;     // at most one part in so many of what is left of a key
  size_t busy = 8;       // charges within a second or two make a group busy
  size_t least = 4;      // an advance for fewer charges than that is not worth while
  size_t most = 500;     // answered out of it and not written yet
  Duration longest_request = std::chrono::seconds(60);  // of an API server
  Duration clocks = std::chrono::seconds(15);           // by which they may differ, with room to spare
  Duration write_after = std::chrono::milliseconds(250);
  size_t write_at = 50;  // or once so many were answered
  Duration idle = std::chrono::seconds(1);
  Duration recall = std::chrono::seconds(10);
};

// Of an instance in the status of the group; null: it has none.
const cluster::QuotaReservation* AdvanceOf(const cluster::BizGroupQuota& group, std::string_view instance);
// Of all others, added up.
quota::Amounts AdvancesBeside(const cluster::BizGroupQuota& group, std::string_view instance);
bool HasAdvances(const cluster::BizGroupQuota& group);
// Whether somebody asks for advances to be given back.
bool IsRecalled(const cluster::BizGroupQuota& group, Time now);
void Recall(const AdvanceOptions& options, Time now, cluster::BizGroupQuota& group);

// Takes the charge into a status. False: there would be more reservations than so many.
bool TakeIn(const Charge& charge, Time until, size_t most_reservations, cluster::BizGroupQuota& group);

class Advance {
 public:
  explicit Advance(const AdvanceOptions& options) : options_(options) {}

  // A charge that was allowed: by these it is known whether the group is busy, and how much it takes.
  void Note(const Charge& charge, Duration now);

  // Whether the charge may be answered out of what stands in the group as it is known. Then `Answer` takes it in.
  bool Covers(const cluster::BizGroupQuota& known, const Charge& charge, Time now) const;
  void Answer(const Charge& charge, const cluster::BizGroupQuota& known, Duration now);
  bool AnythingAnswered() const { return !answered_.empty(); }

  // Whether the group should be written on account of the advance alone.
  bool IsDue(const cluster::BizGroupQuota& known, Time wall, Duration now) const;
  // Whether there is anything to look after, or to remember.
  bool IsKept(const cluster::BizGroupQuota& known, Duration now) const;
  // Makes none any more: what stands is to be given back.
  void Stop() { options_.on = false; }

  // Of a status that is about to be written, first: takes the advance out, and puts in what was answered. Returns the
  // charges that need not be written any more, since they stand, or since their object can come no more.
  std::vector<Charge> Settle(Time until, Duration now, cluster::BizGroupQuota& object);
  // Last: puts the advance that is to stand into it.
  void Make(Time until, Time wall, Duration now, cluster::BizGroupQuota& object);

  // What became of the write. Returns the charges that stand by it.
  std::vector<Charge> Written();
  void NotWritten();
  // Upon this version; nobody knows yet.
  void PerhapsWritten(const std::string& base);
  // No API server takes it: from now on one charge at a time is written and no advance made. Returns the one charge that
  // was refused by itself.
  std::vector<Charge> Refused();
  // The group is gone.
  std::vector<Charge> Drop();

 private:
  struct Answered {
    Charge charge;
    std::string group_uid;
    Duration at{};
    bool in_write = false;
    uint64_t written_by = 0;  // the first write that had it; 0: none yet
  };
  // Of a second.
  struct Demand {
    Duration since{};
    size_t count = 0;
    quota::Amounts largest;  // of each key, of one charge
  };

  quota::Amounts Sum(bool but_in_write) const;
  bool IsIdle(Duration now) const { return !last_ || *last_ + options_.idle <= now; }
  // For how many charges more like those of the last seconds there should be one, and is room.
  size_t Wanted(const quota::Amounts& hard, const cluster::BizGroupQuota& object, Time wall, Duration now) const;
  quota::Amounts Largest() const;

  AdvanceOptions options_;
  std::vector<Answered> answered_;
  std::optional<quota::Amounts> writing_;  // the advance of the write that is on its way
  uint64_t writes_ = 0;                    // that were made; the name of the entry ends with its number
  std::string unsure_;                     // not empty: a write upon this version may have been stored, or may be yet
  bool one_by_one_ = false;
  Demand before_, now_;
  std::optional<Duration> last_;
};

}  // namespace huygens::advances
