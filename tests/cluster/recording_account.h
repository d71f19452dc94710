// An account that keeps the sums an account would keep, and notices what State must never do: tell of a pod that leaves
// without having come, or of one that comes twice.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "cluster/account.h"

namespace huygens::test {

class RecordingAccount final : public cluster::Account {
 public:
  using Zones = std::map<int, int64_t>;

  void Place(const cluster::PlacedPod& pod) override {
    EXPECT_TRUE(present_.insert({pod.pod->uid, pod.node}).second) << pod.pod->uid << " placed twice";
    Add(cpu_[pod.node], pod, 1);
  }
  void Leave(const cluster::PlacedPod& pod) override {
    EXPECT_EQ(present_.erase({pod.pod->uid, pod.node}), 1u) << pod.pod->uid << " left but was not there";
    Add(cpu_[pod.node], pod, -1);
  }
  void NodeChanged(cluster::NodeIndex node, const cluster::NodeTopology* topology) override {
    topology_zones_[node] = topology ? static_cast<int>(topology->zones.size()) : -1;
  }
  void GroupChanged(const cluster::BizGroupQuota& group) override {
    std::string& text = groups_[group.name];
    text = Concat("<", group.parent, group.deleting ? " deleting" : "");
    for (const auto& [key, amount] : group.hard) text += Concat(" ", key, "=", amount.Text());
  }
  void GroupGone(std::string_view name) override {
    EXPECT_EQ(groups_.erase(std::string(name)), 1u) << name << " went but was not there";
  }
  bool Recount(cluster::NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override {
    Zones counted;
    for (const cluster::PlacedPod* pod : pods) Add(counted, *pod, 1);
    if (counted == cpu_[node]) return false;
    cpu_[node] = counted;
    return true;
  }

  Zones Cpu(cluster::NodeIndex node) { return cpu_[node]; }
  // Of the object last told of; -1 for none.
  int TopologyZones(cluster::NodeIndex node) { return topology_zones_.contains(node) ? topology_zones_[node] : -1; }
  // "<parent key=amount", by name.
  const std::map<std::string, std::string>& Groups() const { return groups_; }
  size_t Present() const { return present_.size(); }
  void Spoil(cluster::NodeIndex node) { cpu_[node][99] += 1; }

 private:
  static void Add(Zones& zones, const cluster::PlacedPod& pod, int sign) {
    for (const auto& amount : pod.zones) {
      auto& cpu = zones[amount.zone];
      cpu += sign * amount.amount.Get(kCpu);
      if (cpu == 0) zones.erase(amount.zone);
    }
  }

  std::set<std::pair<std::string, cluster::NodeIndex>> present_;
  std::map<cluster::NodeIndex, Zones> cpu_;
  std::map<cluster::NodeIndex, int> topology_zones_;
  std::map<std::string, std::string> groups_;
};

}  // namespace huygens::test
