#include "usage/account.h"

#include <algorithm>
#include <utility>

#include "usage/estimate.h"
#include "usage/workload.h"

namespace huygens::usage {
namespace {

// floor(capacity * share / 1e6), without overflow: ceilings of more than a thousandfold are none.
int64_t ShareOf(int64_t capacity, int64_t millionths) {
  millionths = std::clamp<int64_t>(millionths, 0, 1000 * kMillion);
  return capacity / kMillion * millionths + capacity % kMillion * millionths / kMillion;
}

int64_t CapacityOf(const cluster::Node& node, ResourceId resource) {
  const ResourceVector& real = node.real_allocatable.Has(resource) ? node.real_allocatable : node.allocatable;
  return std::clamp<int64_t>(real.Get(resource), 0, kMostCapacity);
}

// What kubelet keeps back for the system. A real allocatable says what pods and the system have together.
int64_t ReservedOf(const cluster::Node& node, ResourceId resource) {
  if (node.real_allocatable.Has(resource) || !node.allocatable.Has(resource)) return 0;
  const int64_t reserved = node.capacity.Get(resource) - node.allocatable.Get(resource);
  return std::clamp<int64_t>(reserved, 0, kMostCapacity);
}

// Within that time of its start a pod is in what is measured of its node: counters are read twice first.
constexpr auto kFirstSample = std::chrono::minutes(2);

std::optional<int64_t> CeilingOf(const cluster::Node& node, const ResourceOptions& resource) {
  for (const auto& [name, millionths] : node.usage_ceilings) {
    if (name == resource.name) return millionths;
  }
  return resource.ceiling;
}

}  // namespace

Account::Account(Options options)
    : options_(std::move(options)),
      day_(static_cast<size_t>(
          std::clamp<int64_t>(std::chrono::hours(24) / options_.slot, 1, static_cast<int64_t>(options_.slots)))),
      workloads_(options_.resources.size(), options_.slots, options_.max_workloads, options_.run_once),
      systems_(options_.resources.size(), options_.slots, options_.max_workloads, {}),
      resources_(options_.resources.size(), {.covered = Curve(options_.slots)}),
      ceilings_(options_) {}

void Account::MakeRoomFor(NodeIndex node) {
  if (node < nodes_.size()) return;
  if (unsettled_ > 0) unsettled_ += node + 1 - nodes_.size();  // or a node already there would miss its turn
  nodes_.resize(node + 1);
  sums_.resize(nodes_.size() * resources_.size());
  measured_.resize(sums_.size(), Time::min());
  ceilings_.Resize(nodes_.size());
}

void Account::TellCeilings(NodeIndex node, size_t resource) {
  const Sum& sum = At(node, resource);
  if (sum.limit == kNoLimit) return ceilings_.SetUnlimited(node, resource);
  const bool fresh = freshness_ && IsFresh(LastMeasured(node, resource), freshness_->from);
  ceilings_.Set(node, resource, sum.usage, sum.limit, fresh ? std::optional(Left(sum)) : std::nullopt);
}

Profile Account::ProfileOf(NodeIndex node, const PodHere& pod, size_t resource) const {
  const Curve& curve = pod.history->resources[resource].curve;
  const Time measured = LastMeasured(node, resource);
  std::optional<size_t> age;
  // What no source knows by name can be part of what the node uses only where that is measured.
  const bool within = curve.seen() > 0 || resources_[resource].by_node;
  if (within && pod.pod->start_time && *pod.pod->start_time + kFirstSample <= measured) {
    age = static_cast<size_t>(SlotAt(measured, options_.slot) - SlotAt(*pod.pod->start_time, options_.slot));
  }
  return {&curve, EstimateOf(*pod.pod, options_.resources[resource].resource), day_, age};
}

Profile Account::SystemProfile(NodeIndex node, size_t resource) const {
  const History* history = nodes_[node].history;
  return Profile::OfSystem(history ? &history->resources[resource].curve : nullptr, At(node, resource).reserved);
}

std::string Account::WorkloadHere(NodeIndex node, const cluster::Pod& pod) const {
  return WorkloadOf(pod, nodes_[node].name);
}

NodeUsage Account::Count(NodeIndex node, size_t resource) const {
  std::vector<Profile> profiles;
  profiles.reserve(nodes_[node].pods.size() + 1);
  for (const PodHere& pod : nodes_[node].pods) profiles.push_back(ProfileOf(node, pod, resource));
  profiles.push_back(SystemProfile(node, resource));
  NodeUsage usage;
  usage.Count(profiles);
  return usage;
}

void Account::SettleNode(NodeIndex node) {
  for (size_t r = 0; r < resources_.size(); ++r) {
    Sum& sum = At(node, r);
    if (sum.settled == resources_[r].changes) continue;
    sum.settled = resources_[r].changes;
    const int64_t before = Predicted(sum);
    sum.usage = Count(node, r);
    if (Predicted(sum) < before) nodes_[node].relieved = true;
    TellCeilings(node, r);
  }
}

bool Account::Settle(size_t nodes) {
  for (; nodes > 0 && unsettled_ > 0; --nodes, --unsettled_) {
    if (settle_next_ >= nodes_.size()) settle_next_ = 0;
    SettleNode(settle_next_++);
  }
  return unsettled_ > 0;
}

void Account::Add(NodeIndex node, const std::shared_ptr<const cluster::Pod>& pod) {
  nodes_[node].pods.push_back({pod, &workloads_.Use(WorkloadHere(node, *pod))});
  for (size_t r = 0; r < resources_.size(); ++r) {
    At(node, r).usage.Add(ProfileOf(node, nodes_[node].pods.back(), r));
    TellCeilings(node, r);
  }
}

void Account::Remove(NodeIndex node, std::vector<PodHere>::iterator pod) {
  for (size_t r = 0; r < resources_.size(); ++r) {
    At(node, r).usage.Remove(ProfileOf(node, *pod, r));
    TellCeilings(node, r);
  }
  workloads_.Release(WorkloadHere(node, *pod->pod));
  std::swap(*pod, nodes_[node].pods.back());
  nodes_[node].pods.pop_back();
}

void Account::Place(const cluster::PlacedPod& pod) {
  MakeRoomFor(pod.node);
  SettleNode(pod.node);
  Add(pod.node, pod.pod);
}

void Account::Leave(const cluster::PlacedPod& pod) {
  MakeRoomFor(pod.node);
  SettleNode(pod.node);
  auto& pods = nodes_[pod.node].pods;
  const auto found = std::find_if(pods.begin(), pods.end(), [&](const PodHere& here) { return here.pod == pod.pod; });
  if (found != pods.end()) Remove(pod.node, found);
}

void Account::Rename(NodeIndex node, std::string_view name) {
  NodeHere& here = nodes_[node];
  if (here.history) {
    systems_.Release(here.name);
    node_index_.erase(here.name);
  }
  // Whose history a reserved pod of a DaemonSet has goes by the name.
  std::vector<std::string> before;
  before.reserve(here.pods.size());
  for (const PodHere& pod : here.pods) before.push_back(WorkloadHere(node, *pod.pod));
  if (!name.empty()) node_index_[name] = node;
  here.name = name;
  here.history = name.empty() ? nullptr : &systems_.Use(name);
  for (PodHere& pod : here.pods) pod.history = &workloads_.Use(WorkloadHere(node, *pod.pod));
  for (const std::string& workload : before) workloads_.Release(workload);
  freshness_.reset();
}

void Account::NodeObjectChanged(NodeIndex node, const cluster::Node* object) {
  MakeRoomFor(node);
  NodeHere& here = nodes_[node];
  const std::string_view name = object ? std::string_view(object->name) : std::string_view();
  const bool other = here.name != name;
  if (other) Rename(node, name);
  for (size_t r = 0; r < resources_.size(); ++r) {
    Sum& sum = At(node, r);
    const int64_t reserved = object ? ReservedOf(*object, options_.resources[r].resource) : 0;
    const bool recount = other || sum.reserved != reserved;
    sum.reserved = reserved;
    if (other) {
      MeasuredOn(node, r) = here.history ? here.history->resources[r].last : Time::min();
      sum.moment = {};
    }
    if (recount) {
      sum.usage = Count(node, r);
      sum.settled = resources_[r].changes;
    }
    const auto ceiling = object ? CeilingOf(*object, options_.resources[r]) : std::nullopt;
    sum.capacity = object ? CapacityOf(*object, options_.resources[r].resource) : 0;
    // An allocatable of 0 says that nobody counts it, a real allocatable of 0 that there is none.
    const bool counted = sum.capacity > 0 || (object && object->real_allocatable.Has(options_.resources[r].resource));
    const int64_t limit = ceiling && counted ? ShareOf(sum.capacity, *ceiling) : kNoLimit;
    if (sum.limit != limit) freshness_.reset();
    const bool changed = recount || sum.limit != limit;
    sum.limit = limit;
    if (changed) TellCeilings(node, r);
  }
}

bool Account::Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) {
  MakeRoomFor(node);
  SettleNode(node);
  auto& here = nodes_[node].pods;
  std::vector<const cluster::Pod*> expected, counted;
  for (const cluster::PlacedPod* pod : pods) expected.push_back(pod->pod.get());
  for (const PodHere& pod : here) counted.push_back(pod.pod.get());
  std::sort(expected.begin(), expected.end());
  std::sort(counted.begin(), counted.end());
  bool differs = expected != counted;
  if (differs) {
    while (!here.empty()) Remove(node, here.end() - 1);
    for (const cluster::PlacedPod* pod : pods) Add(node, pod->pod);
  }
  for (size_t r = 0; r < resources_.size(); ++r) {
    NodeUsage usage = Count(node, r);
    if (usage == At(node, r).usage) continue;
    At(node, r).usage = std::move(usage);
    TellCeilings(node, r);
    differs = true;
  }
  return differs;
}

void Account::Apply(const Readings& readings, Time now) {
  const size_t r = readings.resource;
  if (r >= resources_.size()) return;
  ResourceState& resource = resources_[r];
  const bool was_by_node =
      std::exchange(resource.by_node, resource.by_node || readings.by_node || !readings.nodes.empty());
  bool changed = false;
  // Of pods: they go by whole slots, once they are old enough to be measured.
  const auto ages_change = [this](const NodeHere& node, Time before, Time after) {
    if (SlotAt(before, options_.slot) != SlotAt(after, options_.slot)) return true;
    return std::any_of(node.pods.begin(), node.pods.end(), [&](const PodHere& here) {
      const auto& start = here.pod->start_time;
      return start && (*start + kFirstSample <= before) != (*start + kFirstSample <= after);
    });
  };
  const Time latest = now + options_.stale_after;
  for (const Reading& reading : readings.workloads) {
    changed |= workloads_.Set(reading.subject, r, readings.slot, reading.amount, readings.measured, latest);
  }
  // `last`: when the node is known to have been measured last; what a wrong clock said before does not count.
  const auto measured_again = [&](NodeIndex node, Time last) {
    NodeHere& here = nodes_[node];
    Time& measured = MeasuredOn(node, r);
    const bool ahead = IsAhead(measured, now);
    here.relieved |= ahead || readings.measured > measured + options_.stale_after;
    const Time before = std::exchange(measured, ahead ? last : std::max(measured, last));
    changed |= ages_change(here, before, measured);
  };
  for (const Reading& reading : readings.nodes) {
    changed |= systems_.Set(reading.subject, r, readings.slot, reading.amount, readings.measured, latest);
    const auto node = node_index_.find(reading.subject);
    if (node != node_index_.end()) measured_again(node->second, nodes_[node->second].history->resources[r].last);
  }
  // Nothing measured of what is there is no use of nothing.
  const auto any_measured = [&](NodeIndex node) {
    return std::ranges::any_of(nodes_[node].pods,
                               [&](const PodHere& pod) { return pod.history->resources[r].last != Time::min(); });
  };
  for (const std::string& name : readings.half_measured) {
    const auto node = node_index_.find(name);
    if (node == node_index_.end() || IsAhead(readings.measured, now) || !any_measured(node->second)) continue;
    measured_again(node->second, readings.measured);
  }
  for (const Moment& moment : readings.moments) {
    const auto node = node_index_.find(moment.node);
    if (node != node_index_.end()) At(node->second, r).moment = {moment.at, moment.pods, moment.system};
  }
  if (!readings.workloads.empty() || !readings.nodes.empty()) resource.covered.Set(readings.slot, 0);
  workloads_.DropOld();
  systems_.DropOld();
  if (IsAhead(resource.newest, now)) resource.newest = Time::min();
  if (!resource.by_node && readings.measured > resource.newest + options_.stale_after) {
    for (NodeHere& node : nodes_) node.relieved = true;
  }
  const Time newest = std::max(resource.newest, readings.measured);
  changed |= was_by_node != resource.by_node || (!resource.by_node && newest != resource.newest);
  resource.newest = newest;
  freshness_.reset();
  if (!changed) return;
  ++resource.changes;
  unsettled_ = nodes_.size();
}

}  // namespace huygens::usage
