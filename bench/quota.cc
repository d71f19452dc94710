#include "bench/quota.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/cluster.h"
#include "bench/times.h"

namespace huygens::bench {
namespace {

constexpr int kCalls = 2000;
constexpr int kGroupsOfAParent = 10;

std::string GroupName(int index) { return Concat("group-", std::to_string(index)); }

cluster::Pod LabelledPod(cluster::QuotaLabels labels) {
  cluster::Pod pod;
  pod.name = pod.uid = "asking";
  pod.namespace_name = "production";
  ResourceVector amounts{{kCpu, 2000}, {kMemory, int64_t{4} << 30}};
  pod.containers.push_back({.name = "main", .requests = amounts, .limits = amounts});
  if (labels != cluster::QuotaLabels()) pod.quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
  return pod;
}

// A tree in which each group has ten children, and each pod of the cluster a group.
class Side {
 public:
  Side(std::vector<placement::CheckSetting> checks, int groups, size_t nodes, size_t pods) {
    placement::Options options;
    options.checks = std::move(checks);
    options.resource_names = &names_;
    placement_ = *placement::Placement::Create(std::move(options));
    Fill(*placement_, nodes, pods);
    for (int g = 0; g < groups; ++g) {
      cluster::BizGroupQuota group;
      group.name = GroupName(g);
      if (g > 0) group.parent = GroupName((g - 1) / kGroupsOfAParent);
      const Quantity plenty = Quantity::FromInt(int64_t{1} << 50);
      for (const char* key : {"limits.cpu", "limits.cpu.A4", "limits.memory", "requests.cpu", "requests.memory"}) {
        group.hard.emplace_back(key, plenty);
      }
      placement_->Apply(cluster::BizGroupQuotaSet{std::move(group)});
    }
    for (size_t n = 0; n < nodes; ++n) {
      cluster::Node node = *placement_->state().GetNode(*placement_->state().FindNode(NodeName(n)));
      node.labels = {{"beta.kubernetes.io/arch", "amd64"},    {"beta.kubernetes.io/os", "linux"},
                     {"huygens.dev/cpu-model", "A4"},         {"huygens.dev/gpu-model", "A100.80GB"},
                     {"kubernetes.io/arch", "amd64"},         {"kubernetes.io/hostname", NodeName(n)},
                     {"kubernetes.io/os", "linux"},           {"node.kubernetes.io/instance-type", "big"},
                     {"topology.kubernetes.io/region", "r1"}, {"topology.kubernetes.io/zone", "r1-a"}};
      placement_->Apply(cluster::NodeSet{std::move(node)});
      cluster::Pod pod = LabelledPod({GroupName(static_cast<int>(n) % std::max(groups, 1)), "A4", "", ""});
      pod.name = pod.uid = Concat("charged-", std::to_string(n));
      pod.node_name = NodeName(n);
      placement_->Apply(cluster::PodSet{std::make_shared<const cluster::Pod>(std::move(pod))});
    }
  }

  placement::Placement& operator*() { return *placement_; }

 private:
  ResourceNames names_;
  std::unique_ptr<placement::Placement> placement_;
};

void Compare(const char* what, Side& without, Side& with, const cluster::Pod& pod,
             std::span<const std::string_view> names) {
  Times base, other, single;
  const Time now(std::chrono::hours(1));
  for (int i = 0; i < kCalls; ++i) {
    base.Add([&] { (void)(*without).Filter(pod, names, now); });
    other.Add([&] { (void)(*with).Filter(pod, names, now); });
    single.Add([&] { (void)(*with).CheckQuota(pod); });
  }
  const double before = base.Middle(), after = other.Middle();
  std::printf("  %-56s without %7.2f  with %7.2f  added %6.2f us; the group's part alone %5.2f us\n", what, before,
              after, after - before, single.Middle());
}

}  // namespace

void ReportQuota(size_t nodes, size_t pods) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < nodes; ++n) texts.push_back(NodeName(n));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  std::printf("quota, of %zu names, %d calls each in turns\n", nodes, kCalls);
  Side without({"topology"}, 0, nodes, pods);
  for (int groups : {10, 1000}) {
    Side with({"topology", "quota"}, groups, nodes, pods);
    const std::string group = GroupName(groups - 1);
    const auto report = [&](const char* pod, const cluster::QuotaLabels& labels) {
      Compare(Concat(std::to_string(groups), " groups, ", pod).c_str(), without, with, LabelledPod(labels), names);
    };
    report("a pod without labels", {});
    report("a pod of a group", {group, "", "", ""});
    report("a pod that names a model", {group, "A4", "", ""});
    report("a pod that names a model that no node has", {group, "A5", "", ""});
  }
}

}  // namespace huygens::bench
