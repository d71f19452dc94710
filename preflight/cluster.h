// The cluster as preflight sees it: read once by the extender's own means (reflectors, decoders, decision core), so
// that both see the same. Blocking.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "cluster/watch_event.h"
#include "kube/watch_event_sink.h"
#include "net/client.h"
#include "placement/placement.h"
#include "preflight/finding.h"
#include "settings/configuration.h"

namespace huygens::preflight {

// How the LIST of one kind went.
struct KindRead {
  bool asked = false;  // nobody looks at the kind otherwise
  kube::WatchState state = kube::WatchState::kListing;
  std::string why;
};

struct GroupUse {
  size_t pods = 0;
  std::shared_ptr<const cluster::Pod> pending;  // one that waits for a node; null: none does
};

struct Cluster {
  ResourceNames resources;
  std::unique_ptr<placement::Placement> placement;
  std::array<KindRead, cluster::kKindCount> kinds;
  std::vector<std::string> unreadable;     // "KIND NAME: fault"
  std::map<std::string, GroupUse> groups;  // that unfinished pods name
  size_t pods = 0;                         // unfinished ones
  std::vector<std::string> notices;        // of manifests

  const KindRead& Of(cluster::Kind kind) const { return kinds[static_cast<size_t>(kind)]; }
  // Whether it is known which objects of the kind there are; those of an absent kind are none.
  bool Knows(cluster::Kind kind) const;
  // Whether a group has a budget of devices.
  bool HasBudgetOfDevices() const;
  // Why nothing at all was answered; empty if anything was, be it a refusal.
  std::string Unreachable() const;
};

struct ReadOptions {
  Duration list = std::chrono::seconds(120);  // for all that is listed
  Duration broken = std::chrono::seconds(2);  // how long a LIST that failed is tried again
};

// Fails where the configuration cannot be used at all. `api_server` null: from cluster.manifests.
StatusOr<std::unique_ptr<Cluster>> ReadCluster(const settings::Configuration& configuration,
                                               const net::ClientOptions* api_server, ReadOptions options = {});

// Which kinds could be read, and what is missing of definitions.
Findings JudgeCluster(const Cluster& cluster, const settings::Configuration& configuration);
// Groups that pods name and that refuse them, by quota's own rules. Nothing where either could not be listed.
Findings JudgeGroups(const Cluster& cluster);

}  // namespace huygens::preflight
