#include "tests/simulation/kube_controllers.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace huygens::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string ReplicaSetOf(const Workload& deployment) {
  return Concat(deployment.uid, "-", std::to_string(deployment.milli_cores));
}

}  // namespace

KubeControllers::KubeControllers(test::VirtualTime& time, ApiServer& server, Requests& requests, Stream random,
                                 Options options, Binding binding)
    : time_(time),
      server_(server),
      requests_(requests),
      random_(random),
      options_(options),
      binding_(std::move(binding)) {
  server_.OnChange([this](std::string_view kind) {
    if (kind != kGroups) Dirty();
  });
}

void KubeControllers::Dirty() {
  if (std::exchange(dirty_, true)) return;
  time_.After(random_.Between(milliseconds(5), milliseconds(150)), [this] {
    dirty_ = false;
    Reconcile();
  });
}

std::vector<const Workload*> KubeControllers::Owned(std::string_view kind, const std::string& owner) const {
  std::vector<const Workload*> owned;
  const auto of_kind = server_.workloads().find(kind);
  if (of_kind == server_.workloads().end()) return owned;
  for (const auto& [name, each] : of_kind->second) {
    if (each.owner_uid == owner) owned.push_back(&each);
  }
  return owned;
}

void KubeControllers::Reconcile() {
  const auto each_of = [this](std::string_view kind, auto&& call) {
    const auto of_kind = server_.workloads().find(kind);
    if (of_kind == server_.workloads().end()) return;
    const std::map<std::string, Workload> now = of_kind->second;
    for (const auto& [name, each] : now) call(each);
  };
  each_of(kDeployments, [this](const Workload& each) { ReconcileDeployment(each); });
  each_of(kReplicaSets, [this](const Workload& each) { ReconcileReplicaSet(each); });
  each_of(kJobs, [this](const Workload& each) { ReconcileJob(each); });
  each_of(kPods, [this](const Workload& each) {
    if (each.deleting && !each.finished()) End(each.name);
    if (!each.deleting && !each.finished() && each.node.empty()) Bind(each.name);
  });
}

void KubeControllers::ReconcileDeployment(const Workload& deployment) {
  const auto sets = Owned(kReplicaSets, deployment.uid);
  if (deployment.deleting) {
    if (sets.empty()) server_.Remove(kDeployments, deployment.name);
    return;
  }
  const std::string name = ReplicaSetOf(deployment);
  const Workload* current = server_.Find(kReplicaSets, name);
  if (current != nullptr) {
    if (current->replicas != deployment.replicas) SetReplicas(*current, deployment.replicas);
    return;
  }
  if (deployment.replicas == 0 || !under_way_.insert(name).second) return;
  Workload set{.kind = std::string(kReplicaSets), .name = name};
  set.group = deployment.group;
  set.model = deployment.model;
  set.replicas = deployment.replicas;
  set.milli_cores = deployment.milli_cores;
  set.owner_kind = kDeployments;
  set.owner_uid = deployment.uid;
  requests_.Create(set, Stream(random_.Next()), [this, name](Outcome outcome, const std::string&) {
    time_.After(outcome == Outcome::kStored ? milliseconds(1) : milliseconds(1000), [this, name] {
      under_way_.erase(name);
      Dirty();
    });
  });
}

void KubeControllers::SetReplicas(const Workload& set, int64_t replicas) {
  if (!under_way_.insert(set.name).second) return;
  requests_.Update(
      kReplicaSets, set.name, Requests::Way::kPut, [replicas](Workload& now) { now.replicas = replicas; },
      Stream(random_.Next()),
      [this, name = set.name](Outcome outcome, const std::string&) {
        time_.After(outcome == Outcome::kStored ? milliseconds(1) : milliseconds(1000), [this, name] {
          under_way_.erase(name);
          Dirty();
        });
      });
}

void KubeControllers::ReconcileReplicaSet(const Workload& set) {
  const Workload* owner = server_.ByUid(set.owner_uid);
  const bool old = owner == nullptr || owner->deleting || ReplicaSetOf(*owner) != set.name;
  const auto pods = Owned(kPods, set.uid);
  if (old && set.replicas > 0) return SetReplicas(set, 0);
  std::vector<const Workload*> running;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(running),
               [](const Workload* each) { return !each->finished(); });
  const int& under_way = pods_under_way_[set.uid];
  if (old && pods.empty() && under_way == 0) return server_.Remove(kReplicaSets, set.name);
  for (auto count = static_cast<int64_t>(running.size()) + under_way; count < set.replicas; ++count) CreatePod(set);
  while (static_cast<int64_t>(running.size()) > set.replicas) {
    End(running.back()->name);
    running.pop_back();
  }
}

void KubeControllers::CreatePod(const Workload& owner) {
  Workload pod{.kind = std::string(kPods), .name = Concat(owner.uid, "-", std::to_string(++pods_))};
  pod.group = owner.group;
  pod.model = owner.model;
  pod.milli_cores = owner.milli_cores;
  pod.owner_kind = owner.kind;
  pod.owner_uid = owner.uid;
  ++pods_under_way_[owner.uid];
  requests_.Create(pod, Stream(random_.Next()), [this, uid = owner.uid](Outcome outcome, const std::string&) {
    time_.After(outcome == Outcome::kStored ? milliseconds(1) : milliseconds(1000), [this, uid] {
      --pods_under_way_[uid];
      Dirty();
    });
  });
}

// Each pod that has a node succeeds after a while; one that is ended since there are too many counts likewise.
void KubeControllers::ReconcileJob(const Workload& job) {
  const auto pods = Owned(kPods, job.uid);
  auto& succeeded = succeeded_[job.uid];
  int64_t running = pods_under_way_[job.uid];
  for (const Workload* each : pods) {
    if (each->finished()) {
      succeeded.insert(each->name);
      continue;
    }
    ++running;
    if (each->node.empty() || !under_way_.insert(Concat("work of ", each->name)).second) continue;
    time_.After(random_.Between(seconds(1), seconds(20)), [this, name = each->name] { End(name); });
  }
  Workload now = job;
  now.succeeded = static_cast<int64_t>(succeeded.size());
  now.complete = now.succeeded >= job.completions;
  if (now.succeeded != job.succeeded || now.complete != job.complete) {
    (void)server_.Update(now);
    return;  // which is looked at again
  }
  if (job.complete) {
    for (const Workload* each : pods) {
      if (!each->finished()) End(each->name);
    }
    if (pods.empty() && running == 0) server_.Remove(kJobs, job.name);
    return;
  }
  const int64_t wanted = std::min(job.replicas, job.completions - job.succeeded);
  for (; running < wanted; ++running) CreatePod(job);
}

Duration KubeControllers::Pause(Duration longest) {
  const Duration pause = random_.Between(milliseconds(1), longest);
  if (!options_.at_half_seconds) return pause;
  const Duration at = time_.Now().time_since_epoch() + pause;
  return pause + std::chrono::ceil<seconds>(at) + milliseconds(500) - at;
}

void KubeControllers::End(const std::string& pod) {
  if (!under_way_.insert(Concat("end of ", pod)).second) return;
  time_.After(Pause(seconds(2)), [this, pod] {
    const Workload* found = server_.Find(kPods, pod);
    if (found == nullptr) return;
    if (found->node.empty()) return server_.Remove(kPods, pod);
    Workload ended = *found;
    ended.ended = std::chrono::floor<seconds>(time_.Now());
    (void)server_.Update(ended);
    time_.After(options_.finished_pods_stay, [this, pod] { server_.Remove(kPods, pod); });
  });
}

void KubeControllers::Bind(const std::string& pod) {
  if (!under_way_.insert(Concat("bind ", pod)).second) return;
  const auto again = [this, pod](Duration pause) {
    time_.After(pause, [this, pod] {
      under_way_.erase(Concat("bind ", pod));
      Dirty();
    });
  };
  time_.After(random_.Between(milliseconds(5), milliseconds(100)), [this, pod, again] {
    const Workload* found = server_.Find(kPods, pod);
    if (found == nullptr || found->finished() || !found->node.empty()) return;
    const std::string node = Concat("n", std::to_string(random_.Below(3)));
    if (!binding_.reserve(*found, node)) return again(seconds(3));
    const bool lost = random_.Chance(0.05);
    time_.After(Pause(milliseconds(30)), [this, reserved = *found, node, lost, again] {
      Workload bound = reserved;
      bound.node = node;
      bound.scheduled = std::chrono::floor<seconds>(time_.Now());
      const bool done = !lost && server_.Update(bound).ok();
      binding_.settled(reserved, done);
      if (!done) again(milliseconds(300));
    });
  });
}

}  // namespace huygens::simulation
