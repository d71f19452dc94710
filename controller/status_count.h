// What a group's status must say now, and whether that is worth a write: figures at once, the end of reservations whose
// objects count now once a second or, of many, every 200 ms, hours that ran on at their interval, and nothing where only
// time went by. Remembers of each group what its status does not say: since when its reservations have been known. Owned
// by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "advances/unwritten.h"
#include "base/text.h"
#include "base/time.h"
#include "controller/cluster_view.h"
#include "controller/followed_hours.h"
#include "controller/group_use.h"
#include "controller/inheritance.h"
#include "controller/recount.h"

namespace huygens::controller {

// Why a status is written.
enum class WriteReason : uint8_t { kFigures, kSettled, kHours, kInherited };

struct Counted {
  cluster::BizGroupQuota group;      // as it must be
  std::optional<WriteReason> write;  // nothing: it may stay as it is
  std::optional<Duration> again;     // when to look again though nothing changes
  Recounted recounted;
  // What the status said more (below 0: less) than there was though nothing had changed since it was counted.
  quota::Amounts drift;
  uint64_t of_changes = 0;
  Status hours = absl::OkStatus();  // failed: the hours of the status cannot be read and stay as they are
};

class StatusCount {
 public:
  struct Options {
    Duration hours = std::chrono::minutes(1);
    Duration settle = std::chrono::seconds(1);  // between two writes that but take out reservations
    // Where a group has so many, so that each charge is not written with hundreds that are over (docs/performance.md).
    size_t many = 50;
    Duration settle_many = std::chrono::milliseconds(200);
  };

  // What is referred to must outlive this.
  StatusCount(ClusterView& cluster, const GroupUse& use, FollowedHours& hours, Inheritance& inheritance,
              const Options& options)
      : cluster_(cluster), use_(use), hours_(hours), inheritance_(inheritance), options_(options) {}

  // `monotonic`: by a clock that nobody sets.
  Counted Count(const cluster::BizGroupQuota& group, Time now, Duration monotonic);
  // It is written, or need not be.
  void Stands(const Counted& counted, Duration monotonic);

  // Something in the cluster changed the group's figures, rightly.
  void Changed(std::string_view group) { ++memories_[std::string(group)].changes; }
  void Forget(std::string_view group);

 private:
  struct Memory {
    std::string uid;
    // Since when known: reservations by kind, UID and time, so that one that is made again is a new one, and other holders
    // of names by UID.
    TextMap<Time> reserved, holders;
    advances::Unwritten unwritten;
    // Of each key that came to the budget and is not counted yet: the reservations, by kind and UID, that were made without
    // it perhaps.
    std::map<std::string, std::set<std::string, std::less<>>> unaware;
    uint64_t changes = 1, counted_changes = 0;
    std::optional<Duration> settled;  // when the end of reservations was last written
  };

  std::optional<NameHolder> HolderOf(const cluster::QuotaReservation& reservation, Memory& memory, Time now) const;
  // Leaves keys that have just come to the budget uncounted for as long as something is reserved that may take of them and
  // does not say so, since it was charged by the budget of before. Until then nobody is charged to them.
  static void AwaitUnaware(const cluster::BizGroupQuota& before, Memory& memory, cluster::BizGroupQuota& group);
  // Up to when the watches have shown whose pods ran. Of what came since nobody knows: pods that ended would be counted,
  // those that began would not.
  Time HoursShownUntil(Time now) const;
  // How long the watches of what is reserved have been silent.
  Duration Silence(const cluster::BizGroupQuota& group) const;
  // Has those tell that were silent.
  void CatchUp(const cluster::BizGroupQuota& group, Duration monotonic);
  void CatchUp(std::string_view kind, Duration monotonic);
  void DecideHours(const cluster::BizGroupQuota& before, Time now, Duration monotonic, Counted& counted);
  void Decide(const cluster::BizGroupQuota& before, const Memory& memory, Time now, Duration monotonic,
              Counted& counted);

  ClusterView& cluster_;
  const GroupUse& use_;
  FollowedHours& hours_;
  Inheritance& inheritance_;
  const Options options_;
  std::map<std::string, Memory, std::less<>> memories_;
  TextMap<Duration> caught_up_;  // by kind: when its watch was last told to
};

}  // namespace huygens::controller
