// What kube-controller-manager, kube-scheduler and kubelet do, as far as budgets see it: ReplicaSets for Deployments, pods
// for ReplicaSets and Jobs, each by a request that is judged as any other; pods come to nodes, end when there are too many, stay
// finished for a while, and go; what is deleted goes from below. By the objects of the API server, a little late.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/requests.h"

namespace huygens::simulation {

class KubeControllers {
 public:
  struct Options {
    Duration finished_pods_stay = std::chrono::seconds(5);
    // Pods are bound and end half a second from where a second begins: whoever learns of it within that, and counts hours
    // meanwhile, has the same second.
    bool at_half_seconds = false;
  };
  // Whether the pod may be bound to this node, and what became of it.
  struct Binding {
    std::function<bool(const Workload& pod, const std::string& node)> reserve;
    std::function<void(const Workload& pod, bool bound)> settled;
  };

  KubeControllers(test::VirtualTime& time, ApiServer& server, Requests& requests, Stream random, Options options,
                  Binding binding);

  // kubelet ends it; bound pods stay finished for a while.
  void End(const std::string& pod);

 private:
  void Dirty();
  void Reconcile();
  void ReconcileDeployment(const Workload& deployment);
  void ReconcileReplicaSet(const Workload& set);
  void ReconcileJob(const Workload& job);
  void CreatePod(const Workload& owner);
  void SetReplicas(const Workload& set, int64_t replicas);
  std::vector<const Workload*> Owned(std::string_view kind, const std::string& owner) const;
  void Bind(const std::string& pod);
  // Until something happens to a pod.
  Duration Pause(Duration longest);

  test::VirtualTime& time_;
  ApiServer& server_;
  Requests& requests_;
  Stream random_;
  const Options options_;
  const Binding binding_;
  bool dirty_ = false;
  std::set<std::string> under_way_;                         // names of objects that are being changed
  std::map<std::string, int> pods_under_way_;               // by UID of their owner
  std::map<std::string, std::set<std::string>> succeeded_;  // by UID of the Job: names of its pods
  int pods_ = 0;
};

}  // namespace huygens::simulation
