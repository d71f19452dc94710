// Moves that have ended, as long as their objects are kept: a week, and a thousand at most. They say when a pod may be
// tried again, which node a workload left lately, and what a day's report counts. Decision thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "migration_api/pod_migration.h"

namespace huygens::rescheduler {

class SettledMoves {
 public:
  static constexpr Duration kKept = std::chrono::hours(7 * 24);
  static constexpr size_t kMost = 1000;

  void Clear() { moves_.clear(); }
  void Add(migration_api::PodMigration move) { moves_.insert_or_assign(move.name, std::move(move)); }
  const migration_api::PodMigration* Find(std::string_view pod_uid) const;
  // Not before then is the pod to be moved, or another of its workload of this name; nothing: at once.
  std::optional<Time> NextTry(std::string_view pod_uid, std::string_view owner_uid) const;
  // In a row, of the pod or of those in its place.
  int64_t AttemptsBefore(std::string_view pod_uid, std::string_view owner_uid) const;
  // Whether a pod of this controller left the node since then.
  bool LeftSince(std::string_view owner_uid, std::string_view node, Time since) const;
  void ForEach(const std::function<void(const migration_api::PodMigration&)>& visit) const;
  size_t size() const { return moves_.size(); }
  // Takes out those that nobody keeps any more, the oldest first.
  std::vector<migration_api::PodMigration> TakeOld(Time now);

 private:
  // The last that did not succeed, of those of the controller; null: there is none, or one succeeded since.
  const migration_api::PodMigration* LastFailure(std::string_view pod_uid, std::string_view owner_uid) const;

  std::map<std::string, migration_api::PodMigration, std::less<>> moves_;  // by name of the object
};

}  // namespace huygens::rescheduler
