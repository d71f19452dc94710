#include "rescheduler/cluster_facts.h"

#include <algorithm>

#include "rescheduling/move.h"

namespace huygens::rescheduler {

namespace {

constexpr int32_t kSystemCritical = 2'000'000'000;

std::string_view Text(const std::string* text) { return text == nullptr ? std::string_view() : *text; }

}  // namespace

std::string_view ClusterFacts::Unmovable(const cluster::Pod& pod) const {
  const Time now = clock_.Now();
  const usage::Account& usage = placement_.usage();
  // Where nothing is measured nothing is to be waited for.
  Duration history = usage.options().resources.empty() ? options_.least_history : Duration::zero();
  for (size_t i = 0; i < usage.options().resources.size(); ++i) history = std::max(history, usage.HistoryOf(i));
  const rescheduling::NeverFacts facts{
      .owner_kind = pod.owner_kind,
      .mirror = pod.owner_kind == "Node",
      .system_critical = pod.priority >= kSystemCritical,
      .move = Text(cluster::AnnotationOf(pod, rescheduling::kMoveAnnotation)),
      .safe_to_evict = Text(cluster::AnnotationOf(pod, "cluster-autoscaler.kubernetes.io/safe-to-evict")),
      .prefer_no_eviction = cluster::AnnotationOf(pod, "descheduler.alpha.kubernetes.io/prefer-no-eviction") != nullptr,
      .created = pod.created,
      .history = history};
  if (const std::string_view why = rescheduling::WhyNever(facts, options_, now); !why.empty()) return why;
  if (pod.owner_uid.empty()) return "has no controller that would make it anew";
  const auto next = settled_.NextTry(pod.uid, pod.owner_uid);
  return next && *next > now ? "was tried lately, and waits for its next try" : "";
}

bool ClusterFacts::MayLeave(cluster::NodeIndex node) const {
  const cluster::Node* object = placement_.state().GetNode(node);
  return object != nullptr && object->ready;
}

bool ClusterFacts::IsOpen(cluster::NodeIndex node) const {
  return MayLeave(node) && !placement_.state().GetNode(node)->unschedulable;
}

bool ClusterFacts::MayTake(const cluster::Pod& pod, cluster::NodeIndex node) const {
  return !settled_.LeftSince(pod.owner_uid, placement_.state().NodeName(node), clock_.Now() - not_back_);
}

bool ClusterFacts::Leaving(const cluster::Pod& pod) const { return pod.deleting || moves_.Find(pod.uid) != nullptr; }

}  // namespace huygens::rescheduler
