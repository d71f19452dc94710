#include "usage/workload.h"

#include <gtest/gtest.h>

namespace huygens::usage {
namespace {

struct Case {
  std::string_view pod, kind, owner, want;
};

TEST(WorkloadOf, FollowsTheOwner) {
  const Case kCases[] = {
      {"db-0", "StatefulSet", "db", "ns/StatefulSet/db-0"},
      {"web-7d4b9c6f5-x2x4z", "ReplicaSet", "web-7d4b9c6f5", "ns/Deployment/web"},
      {"my-web-7d4b9c6f5d-x2x4z", "ReplicaSet", "my-web-7d4b9c6f5d", "ns/Deployment/my-web"},
      // Not made by a Deployment: vowels, digits that no hash has, too short, too long.
      {"web-backend-x2x4z", "ReplicaSet", "web-backend", "ns/ReplicaSet/web-backend"},
      {"web-20260131-x2x4z", "ReplicaSet", "web-20260131", "ns/ReplicaSet/web-20260131"},
      {"web-v2-x2x4z", "ReplicaSet", "web-v2", "ns/ReplicaSet/web-v2"},
      {"web-7d4b9c6f5d2-x2x4z", "ReplicaSet", "web-7d4b9c6f5d2", "ns/ReplicaSet/web-7d4b9c6f5d2"},
      {"web-x2x4z", "ReplicaSet", "web", "ns/ReplicaSet/web"},
      {"backup-29123456-x2x4z", "Job", "backup-29123456", "ns/CronJob/backup"},
      {"backup-2026-x2x4z", "Job", "backup-2026", "ns/Job/backup-2026"},
      {"proxy-x2x4z", "DaemonSet", "proxy", "ns/DaemonSet/proxy on n1"},
      {"clone-x2x4z", "CloneSet", "clone", "ns/CloneSet/clone"},
      {"etcd-node1", "Node", "node1", "ns/Pod/etcd-node1"},
      {"lonely", "", "", "ns/Pod/lonely"},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(WorkloadOf("ns", each.pod, each.kind, each.owner, "n1"), each.want);
    cluster::Pod pod;
    pod.namespace_name = "ns";
    pod.name = each.pod;
    pod.owner_kind = each.kind;
    pod.owner_name = each.owner;
    EXPECT_EQ(WorkloadOf(pod, "n1"), each.want) << "reserved there";
    pod.node_name = "n1";
    EXPECT_EQ(WorkloadOf(pod), each.want);
    EXPECT_EQ(WorkloadOf(pod, "n2"), each.want) << "bound";
  }
}

TEST(WorkloadOf, OfAReplacedPodIsTheSame) {
  EXPECT_EQ(WorkloadOf("ns", "web-7d4b9c6f5-x2x4z", "ReplicaSet", "web-7d4b9c6f5", "n1"),
            WorkloadOf("ns", "web-5c8d7b6f4-b9bcd", "ReplicaSet", "web-5c8d7b6f4", "n1"));
  EXPECT_NE(WorkloadOf("ns", "db-0", "StatefulSet", "db", "n1"), WorkloadOf("ns", "db-1", "StatefulSet", "db", "n1"));
  EXPECT_NE(WorkloadOf("a", "db-0", "StatefulSet", "db", "n1"), WorkloadOf("b", "db-0", "StatefulSet", "db", "n1"));
}

TEST(WorkloadOf, ADaemonSetHasAHistoryOnEachNodeAndNoneElsewhere) {
  EXPECT_EQ(WorkloadOf("ns", "proxy-x2x4z", "DaemonSet", "proxy", ""), "ns/DaemonSet/proxy");
  EXPECT_EQ(WorkloadOf("ns", "proxy-x2x4z", "DaemonSet", "proxy", "n2"), "ns/DaemonSet/proxy on n2");
}

TEST(GuessWorkload, GoesByThePodsName) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"web-7d4b9c6f5-x2x4z", "ns/Deployment/web"},
      {"backup-29123456-x2x4z", "ns/CronJob/backup"},
      {"db-0", "ns/StatefulSet/db-0"},
      {"db-22456", "ns/StatefulSet/db-22456"},
      {"kube-proxy-x2x4z", "ns/DaemonSet/kube-proxy on n1"},
      {"etcd-node1", "ns/Pod/etcd-node1"},
      {"lonely", "ns/Pod/lonely"},
      {"-0", "ns/Pod/-0"},
      {"db-", "ns/Pod/db-"},
      {"", "ns/Pod/"},
  };
  for (const auto& [pod, want] : kCases) EXPECT_EQ(GuessWorkload("ns", pod, "n1"), want);
}

}  // namespace
}  // namespace huygens::usage
