// The moves that are under way, as this instance follows them: what their objects say, and beside it what only matters
// while the process lives. Recognises the pods that replace those that were evicted. Decision thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "migration_api/pod_migration.h"
#include "moves/life.h"
#include "placement/placement.h"

namespace huygens::rescheduler {

enum class Nomination : uint8_t { kNone, kUnderWay, kWritten, kFailed };

struct UnderWay {
  migration_api::PodMigration object;
  std::shared_ptr<const cluster::QuotaLabels> group;  // that the pod is charged to
  bool stored = false;                                // the object is at the API server
  bool dirty = false;                                 // its status there is older
  bool writing = false;                               // a write of it is under way
  bool calling = false;                               // a call about the victim is under way
  bool asks_victim = false;                           // the answer to the eviction was lost
  bool charged = false;                               // what is held is charged to the group
  bool watched = false;                               // the watch has shown the replacement
  // Steering.
  std::optional<Time> first_asked;  // kube-scheduler asked about the replacement
  Nomination nomination = Nomination::kNone;
  bool let_go = false;  // it may go anywhere but the source

  std::string StandInUid() const { return "move-" + object.spec.pod.uid; }
};

class MovesUnderWay {
 public:
  // `placement` must outlive it.
  explicit MovesUnderWay(placement::Placement& placement) : placement_(placement) {}

  UnderWay& Add(migration_api::PodMigration object);
  // What it holds, if anything, goes back.
  void Remove(std::string_view pod_uid);
  void Clear();
  UnderWay* Find(std::string_view pod_uid);
  const UnderWay* Find(std::string_view pod_uid) const;
  size_t size() const { return moves_.size(); }
  // In the order of their UIDs; `visit` may not remove any.
  void ForEach(const std::function<void(UnderWay&)>& visit);
  void ForEach(const std::function<void(const UnderWay&)>& visit) const;

  // The move whose replacement this pod is, also if that shows only now; null: it replaces nobody.
  UnderWay* Recognise(const cluster::Pod& pod, Time now);
  // Of these pods of its controller, which have nodes, one that replaces the victim and no other pod's move: the target's
  // before others, then the oldest.
  void Adopt(UnderWay& move, std::span<const std::shared_ptr<const cluster::Pod>> pods);
  // How things stand with it.
  moves::Seen Look(const UnderWay& move) const;
  // Its replacement is another one from now on, or none.
  void Unclaim(UnderWay& move);
  // Holds room for it, charges it or gives it back, as it should be now. False: room is wanted, and there is none.
  bool Settle(UnderWay& move, const moves::Patience& patience, Time now);

 private:
  bool Replaces(const cluster::Pod& pod, const UnderWay& move) const;
  void Claim(UnderWay& move, std::string_view uid);

  placement::Placement& placement_;
  std::map<std::string, std::unique_ptr<UnderWay>, std::less<>> moves_;  // by UID of the pod that leaves
  TextMap<std::vector<UnderWay*>> by_owner_;
  TextMap<UnderWay*> by_replacement_;
};

}  // namespace huygens::rescheduler
