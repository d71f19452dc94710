// Account as a kind of node.
#include <algorithm>

#include "kubelet/account.h"
#include "topology/why_no_zones.h"
#include "topology/zone_request.h"

namespace huygens::kubelet {

namespace {

using topology::Fit;

// Where nothing but cpu is managed a pod asks for zones of an agent's nodes, or not, as anywhere.
constexpr ResourceId kZoned[] = {kCpu};

// The community plugin's words for what could not be aligned.
Fit FitOf(const Prediction& prediction, const Pod& pod, bool curable) {
  using Kind = Container::Kind;
  if (prediction.admission == Admission::kSmtAlignmentError) return curable ? Fit::kCoresTaken : Fit::kTooFewCores;
  if (prediction.container < 0) return curable ? Fit::kCannotAlignPod : Fit::kNeverAlignsPod;
  switch (pod.containers[static_cast<size_t>(prediction.container)].kind) {
    case Kind::kInit:
      return curable ? Fit::kCannotAlignInitContainer : Fit::kNeverAlignsInitContainer;
    case Kind::kSidecar:
      return curable ? Fit::kCannotAlignSidecar : Fit::kNeverAlignsSidecar;
    case Kind::kApp:
      break;
  }
  return curable ? Fit::kCannotAlignContainer : Fit::kNeverAlignsContainer;
}

}  // namespace

struct Account::Prepared final : topology::PreparedPod {
  Request request;
  bool asks_cores = false;  // by huygens.dev/smt

  static const Prepared& Of(const topology::PreparedPod& pod) { return static_cast<const Prepared&>(pod); }
};

std::unique_ptr<topology::PreparedPod> Account::Prepare(const cluster::Pod& pod) const {
  auto prepared = std::make_unique<Prepared>();
  prepared->request = RequestOf(pod);
  prepared->asks_cores = pod.smt != cluster::Smt::kUnset && !topology::RequestOf(pod, kZoned).AsksNothing();
  if (prepared->request.asks_nothing && !prepared->asks_cores) return nullptr;
  return prepared;
}

void Account::Check(const topology::PreparedPod& pod, std::span<const NodeIndex> nodes, bool lost, Time /*now*/,
                    std::span<Fit> fits) const {
  const Prepared& prepared = Prepared::Of(pod);
  for (size_t i = 0; i < nodes.size(); ++i) fits[i] = Judge(nodes[i], prepared, lost);
}

// A pod that is refused could be cured by victims if kubelet would admit it to the node with no pod there, or if the
// search for that answer was cut short.
Fit Account::Judge(NodeIndex node, const Prepared& pod, bool lost) const {
  const Request& request = pod.request;
  const bool holds_nothing = request.asks_nothing || request.holds_nothing;  // asks for 0 devices at most
  // As the lost object last said, but nobody gets zones of it: the node may be another by now, and what is written is
  // not known to be seen there.
  if (lost && (Predicts(node) || Unusable(node))) return holds_nothing ? Fit::kFits : Fit::kLostTopology;
  // kubelet hands out cores by its own options, the same for all pods.
  if (pod.asks_cores) return Fit::kCoresUnknown;
  if (request.asks_nothing) return Fit::kFits;
  if (Unusable(node)) return holds_nothing ? Fit::kFits : Fit::kInvalidTopologyData;
  if (!Predicts(node) || SurelyFitsOne(node, request)) return Fit::kFits;
  const Prediction prediction = Predict(node, request);
  if (prediction.Admitted()) return Fit::kFits;
  // Where the search ended early nothing is certain, of the empty node either: preemption will find out.
  const bool curable = prediction.bounded || PredictEmpty(node, request).Admitted();
  return FitOf(prediction, request.pod, curable);
}

void Account::ZonesTaken(const topology::PreparedPod& pod, std::span<const NodeIndex> nodes, Time /*now*/,
                         std::span<std::optional<topology::ZoneSet>> taken) const {
  const Request& request = Prepared::Of(pod).request;
  for (size_t i = 0; i < nodes.size(); ++i) taken[i] = ZonesTakenOn(nodes[i], request);
}

std::optional<topology::ZoneSet> Account::ZonesTakenOn(NodeIndex node, const Request& request) const {
  if (!Predicts(node) || request.asks_nothing) return topology::ZoneSet();
  if (request.one_container && SurelyFitsOne(node, request)) return topology::ZoneSet{.count = 1};
  const Prediction prediction = Predict(node, request);
  if (!prediction.Admitted()) return std::nullopt;
  return kubelet::ZonesTaken(Free(node), prediction.charge);
}

std::optional<std::vector<cluster::ZoneAmount>> Account::Assign(NodeIndex node, const topology::PreparedPod& pod,
                                                                Time /*now*/) const {
  const Request& request = Prepared::Of(pod).request;
  if (!Predicts(node) || request.asks_nothing) return std::vector<cluster::ZoneAmount>();
  return PredictZones(node, request);
}

// Of each two machines one is with the asking pod and one without, so that it is not rejected for a nominated pod that
// would not be admitted either way.
bool Account::LeavesRoom(NodeIndex node, const topology::PreparedPod& pod,
                         std::span<const cluster::Pod* const> nominated, Gone gone, bool others_leave) const {
  const Request& request = Prepared::Of(pod).request;
  if (!Predicts(node) || request.asks_nothing) return true;
  Holding asking{.pod = request.pod};
  // When kubelet sees the pod those may have gone, and its zones may be others than it would take now.
  if (!others_leave) asking.zones = PredictZones(node, request);

  std::vector<Request> requests;
  requests.reserve(nominated.size());
  std::vector<Holding> without, with{asking};
  for (const cluster::Pod* each : nominated) {
    const Request& wanted = requests.emplace_back(RequestOf(*each));
    if (wanted.asks_nothing) continue;
    for (bool all_lower : {false, true}) {
      Machine machine = FreeWithout(node, [&](const cluster::Pod& other) { return gone(other, *each, all_lower); });
      Machine machine_with = machine;
      for (const Holding& held : without) ChargeAll(machine, held);
      for (const Holding& held : with) ChargeAll(machine_with, held);
      const Prediction alone = kubelet::Predict(machine, wanted.pod);
      if (!alone.Admitted()) continue;
      const Prediction beside = kubelet::Predict(machine_with, wanted.pod);
      if (!beside.Admitted()) return false;
      without.push_back({.pod = wanted.pod, .zones = ZonesOf(machine, alone.charge)});
      with.push_back({.pod = wanted.pod, .zones = ZonesOf(machine_with, beside.charge)});
      break;
    }
  }
  return true;
}

// Of 60 pods on one node that kubelet pins a question costs 10 us, five times one about a managed node.
size_t Account::CostOfCheck(NodeIndex node) const { return Predicts(node) ? 5 : 1; }

std::optional<std::vector<topology::ZoneDescription>> Account::Describe(NodeIndex node,
                                                                        const cluster::NodeTopology* topology,
                                                                        Time /*now*/) const {
  if (!topology || !Predicts(node)) return std::nullopt;
  const std::vector<cluster::ZoneAmount> free = FreeOf(Free(node));
  std::vector<topology::ZoneDescription> zones;
  for (const cluster::Zone& zone : topology->zones) {
    topology::ZoneDescription& described = zones.emplace_back();
    described.zone = zone.id;
    described.name = zone.name;
    described.allocatable = zone.allocatable;
    described.available = zone.available;
    for (const cluster::ZoneAmount& each : free) {
      if (each.zone == zone.id) described.free = each.amount;
    }
  }
  return zones;
}

std::string Account::WhyNoZones(NodeIndex /*node*/, std::string_view name, const cluster::NodeTopology* topology,
                                const cluster::Pod& pod) const {
  if (topology && topology->source == cluster::TopologySource::kCrane) {
    return Concat("the NodeResourceTopology of ", name, " says cpuManagerPolicy None: kubelet pins there");
  }
  if (RequestOf(pod).asks_nothing) {
    const std::string of_pod = topology::WhyNoZones(pod, kZoned);
    return Concat("kubelet pins nothing for it: ", of_pod.empty() ? "it is not Guaranteed" : of_pod);
  }
  return Concat("kubelet pins on ", name, ", and which zones it will take is not certain");
}

}  // namespace huygens::kubelet
