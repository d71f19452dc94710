#include "placement/placement.h"

#include <algorithm>
#include <cmath>

#include "policy/registry.h"
#include "scoring/registry.h"
#include "topology/zone_choice.h"

namespace huygens::placement {

namespace {

// FNV-1a: the same in every process, unlike the hash of the tables.
uint64_t StableHash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

template <typename Entry>
std::string Names(std::span<const Entry> entries) {
  std::string names;
  for (const Entry& entry : entries) names += Concat(names.empty() ? "" : ", ", entry.name);
  return names;
}

// Which zone an amount belongs to, as crane writes it where the object no longer names the zone.
std::string CraneZoneName(int zone) { return Concat("node", std::to_string(zone)); }

ResourceVector Named(const topology::Amounts& amounts, std::span<const ResourceId> resources) {
  ResourceVector named;
  for (size_t r = 0; r < resources.size(); ++r) named.Set(resources[r], amounts[r]);
  return named;
}

}  // namespace

StatusOr<std::unique_ptr<Placement>> Placement::Create(Options options) {
  std::unique_ptr<Placement> placement(new Placement(std::move(options)));
  HUYGENS_RETURN_IF_ERROR(placement->Build());
  return placement;
}

Placement::Placement(Options options)
    : options_(std::move(options)),
      zones_(options_.topology),
      kubelet_(options_.topology.kubelet),
      waiting_(options_.waiting_pods),
      accounts_{&zones_, &kubelet_},
      mean_(options_.max_score) {
  for (cluster::Account* account : accounts_) state_.AddAccount(*account);
  state_.AddAccount(waiting_);
}

Status Placement::Build() {
  if (options_.max_score < 1) return Invalid("maxScore must be at least 1");
  const auto& managed = zones_.options().managed_resources;
  if (managed.empty() || managed.front() != kCpu) return Invalid("managedResources must contain cpu");
  if (options_.topology.stale_after < Duration::zero()) return Invalid("staleAfter must not be negative");
  const policy::Sources sources{zones_, kubelet_};
  TextSet seen;
  for (const std::string& name : options_.checks) {
    const policy::CheckEntry* entry = policy::FindCheck(name);
    if (!entry) return Invalid(Concat("no check is called ", name, "; there are ", Names(policy::KnownChecks())));
    if (!seen.insert(name).second) return Invalid(Concat("check ", name, " is listed twice"));
    if (!entry->make) {
      inactive_.push_back(name);
      continue;
    }
    checks_.push_back(entry->make(sources));
    chooses_zones_ = chooses_zones_ || name == "topology";
  }
  seen.clear();
  for (const WeightedTerm& each : options_.terms) {
    const scoring::TermEntry* entry = scoring::FindTerm(each.name);
    if (!entry) return Invalid(Concat("no term is called ", each.name, "; there are ", Names(scoring::KnownTerms())));
    if (!seen.insert(each.name).second) return Invalid(Concat("term ", each.name, " is listed twice"));
    if (!std::isfinite(each.weight) || each.weight < 0 || each.weight > 1e6) {
      return Invalid(Concat("the weight of term ", each.name, " must be from 0 to 1000000"));
    }
    const bool weighs = !each.resource_weights.empty();
    if (weighs && !entry->make_weighted) return Invalid(Concat("term ", each.name, " weighs no resources"));
    for (const auto& [resource, weight] : each.resource_weights) {
      if (weight < 1) return Invalid(Concat("the weight of a resource in term ", each.name, " must be at least 1"));
    }
    if (each.weight == 0) continue;
    if (!entry->make) {
      inactive_.push_back(each.name);
      continue;
    }
    mean_.Add(weighs ? entry->make_weighted(sources, each.resource_weights) : entry->make(sources), each.weight);
  }
  return absl::OkStatus();
}

policy::PodQuery Placement::Query(const cluster::Pod& pod, Time now) const {
  return {pod, topology::RequestOf(pod, zones_.options().managed_resources), now};
}

void Placement::RunChecks(const policy::PodQuery& query) {
  candidates_.Reset(nodes_);
  for (const auto& check : checks_) check->Run(query, state_, candidates_);
}

Reason Placement::Judge(const policy::PodQuery& query, NodeIndex node) {
  nodes_.assign(1, node);
  RunChecks(query);
  return candidates_.reason(0);
}

const FilterAnswer& Placement::Filter(const cluster::Pod& pod, std::span<const std::string_view> node_names, Time now) {
  const policy::PodQuery query = Query(pod, now);
  lookup_.Resolve(state_, node_names, nodes_, positions_);
  RunChecks(query);
  filter_answer_.reasons.assign(node_names.size(), Reason::kUnknownNode);
  filter_answer_.feasible.clear();
  filter_answer_.narrowed = false;
  filter_answer_.may_repeat = node_names.size() > nodes_.size() + 1;
  asked_in_.resize(state_.NodeSlots());
  ++filter_calls_;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    filter_answer_.may_repeat |= std::exchange(asked_in_[nodes_[i]], filter_calls_) == filter_calls_;
    filter_answer_.reasons[positions_[i]] = candidates_.reason(i);
    if (!candidates_.Rejected(i)) filter_answer_.feasible.push_back(positions_[i]);
  }
  if (options_.narrow_to > 0 && filter_answer_.feasible.size() > options_.narrow_to) Narrow(query);
  return filter_answer_;
}

void Placement::RememberAnswer(const std::shared_ptr<const cluster::Pod>& pod) {
  if (!filter_answer_.feasible.empty()) return waiting_.Remove(pod->uid);
  if (filter_answer_.reasons.empty()) return;
  waiting_.Add(pod, nodes_, nodes_.size() < filter_answer_.reasons.size());
}

std::optional<NodeIndex> Placement::FirstFit(const cluster::Pod& pod, std::span<const NodeIndex> nodes, Time now) {
  nodes_.assign(nodes.begin(), nodes.end());
  RunChecks(Query(pod, now));
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!candidates_.Rejected(i)) return nodes_[i];
  }
  return std::nullopt;
}

bool Placement::TakesAnotherBeside(std::span<const std::shared_ptr<const cluster::Pod>> pods, NodeIndex node,
                                   Time now) {
  // The account of a node that kubelet pins remembers the order in which pods came: none may come in thought.
  if (zones_.Mode(node) != topology::NodeMode::kManaged) return true;
  auto zones = ChooseZones(Query(*pods.front(), now), node);
  if (!zones) return false;
  const cluster::PlacedPod supposed{pods.front(), node, *std::move(zones)};
  zones_.Place(supposed);
  const auto others = pods.subspan(1);
  const bool takes = std::any_of(others.begin(), others.end(),
                                 [&](const auto& pod) { return FirstFit(*pod, {&node, 1}, now).has_value(); });
  zones_.Leave(supposed);
  return takes;
}

void Placement::Narrow(const policy::PodQuery& query) {
  size_t kept = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!candidates_.Rejected(i)) nodes_[kept++] = nodes_[i];
  }
  nodes_.resize(kept);
  means_.resize(kept);
  mean_.Mean(query, state_, nodes_, means_);

  ranking_ = means_;
  auto last_kept = ranking_.begin() + static_cast<std::ptrdiff_t>(options_.narrow_to) - 1;
  std::nth_element(ranking_.begin(), last_kept, ranking_.end(), std::greater<>());
  const double bar = *last_kept;
  auto better =
      static_cast<size_t>(std::count_if(means_.begin(), means_.end(), [&](double mean) { return mean > bar; }));
  auto equal = static_cast<size_t>(std::count(means_.begin(), means_.end(), bar));
  // Without the revision a pod that fails on its nodes for reasons unknown here would be offered the same ones for
  // ever.
  const std::string& identity = query.pod.uid.empty() ? query.pod.name : query.pod.uid;
  const size_t first = (StableHash(identity) + state_.revision()) % equal;
  const size_t wanted = options_.narrow_to - better;

  std::vector<uint32_t>& feasible = filter_answer_.feasible;
  size_t out = 0;
  size_t turn = 0;  // among the equals
  for (size_t i = 0; i < means_.size(); ++i) {
    bool keep = means_[i] > bar;
    if (means_[i] == bar) keep = (turn++ + equal - first) % equal < wanted;
    if (keep) feasible[out++] = feasible[i];
  }
  feasible.resize(out);
  filter_answer_.narrowed = true;
}

std::span<const int64_t> Placement::Prioritize(const cluster::Pod& pod, std::span<const std::string_view> node_names,
                                               Time now, std::vector<TermScores>* explain) {
  const policy::PodQuery query = Query(pod, now);
  lookup_.Resolve(state_, node_names, nodes_, positions_);
  means_.resize(nodes_.size());
  mean_.Mean(query, state_, nodes_, means_);
  scores_.assign(node_names.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) scores_[positions_[i]] = mean_.Scale(means_[i]);
  if (explain) {
    explain->clear();
    for (size_t t = 0; t < mean_.size(); ++t) {
      TermScores said{std::string(mean_.term(t).name()), mean_.weight(t),
                      std::vector<float>(node_names.size(), scoring::kNoOpinion)};
      for (size_t i = 0; i < nodes_.size(); ++i) said.scores[positions_[i]] = mean_.said(t)[i];
      explain->push_back(std::move(said));
    }
  }
  return scores_;
}

StatusOr<Reservation> Placement::Reserve(const std::shared_ptr<const cluster::Pod>& pod, std::string_view node_name,
                                         Time now) {
  if (pod->uid.empty()) return Invalid(Concat("pod ", pod->Key(), " has no UID"));
  if (const cluster::PlacedPod* placed = state_.FindPlaced(pod->uid)) {
    if (state_.NodeName(placed->node) != node_name) {
      return Conflict(Concat("pod ", pod->Key(), " already holds capacity on node ", state_.NodeName(placed->node)));
    }
    Reservation held;
    held.node = placed->node;
    held.zones = Shares(placed->node, placed->zones);
    held.existed = true;
    return held;
  }
  auto latest = state_.FindPod(pod->uid);
  for (const cluster::Pod* view : {pod.get(), latest.get()}) {
    if (!view) continue;
    if (view->Bound()) return Conflict(Concat("pod ", pod->Key(), " is already bound to node ", view->node_name));
    if (view->Terminal()) return Refused(Concat("pod ", pod->Key(), " has finished"));
    if (view->deleting) return Refused(Concat("pod ", pod->Key(), " is being deleted"));
  }

  const policy::PodQuery query = Query(*pod, now);
  Reservation made;
  auto node = state_.FindNode(node_name);
  if (!node) {
    made.reason = Reason::kUnknownNode;
    return made;
  }
  made.node = *node;
  made.reason = Judge(query, *node);
  if (!made.Accepted()) return made;
  std::optional<std::vector<cluster::ZoneAmount>> zones = ChooseZones(query, *node);
  if (!zones) {
    made.reason = Reason::kInsufficientZones;
    return made;
  }
  made.zones = Shares(*node, *zones);
  HUYGENS_RETURN_IF_ERROR(state_.Reserve(pod, *node, *std::move(zones), now));
  return made;
}

std::optional<std::vector<cluster::ZoneAmount>> Placement::ChooseZones(const policy::PodQuery& query,
                                                                       NodeIndex node) const {
  std::vector<cluster::ZoneAmount> none_due;
  if (!chooses_zones_) return none_due;
  if (zones_.Mode(node) == topology::NodeMode::kKubelet) {
    if (query.kubelet.asks_nothing || !kubelet_.Predicts(node)) return none_due;
    return kubelet_.PredictZones(node, query.kubelet);
  }
  if (query.zones.AsksNothing() || zones_.Mode(node) != topology::NodeMode::kManaged) return none_due;
  topology::ZoneOffers offers;
  auto set = zones_.Choose(node, query.zones, query.now, offers);
  if (!set)
    return std::nullopt;  // the check has just found room, so never; a pod without a result would not be counted
  return topology::Divide(offers, *set, query.zones.amounts, zones_.options().managed_resources);
}

std::vector<ZoneShare> Placement::Shares(NodeIndex node, std::span<const cluster::ZoneAmount> zones) const {
  const cluster::NodeTopology* topology = state_.Topology(node);
  std::vector<ZoneShare> shares;
  for (const cluster::ZoneAmount& amount : zones) {
    ZoneShare share{CraneZoneName(amount.zone), amount.zone, amount.amount};
    if (topology) {
      for (const cluster::Zone& zone : topology->zones) {
        if (zone.id == amount.zone) share.name = zone.name;
      }
    }
    shares.push_back(std::move(share));
  }
  std::sort(shares.begin(), shares.end(), [](const ZoneShare& a, const ZoneShare& b) { return a.name < b.name; });
  return shares;
}

void Placement::DescribeKubelet(NodeIndex node, const cluster::NodeTopology& topology,
                                NodeDescription& description) const {
  const std::vector<cluster::ZoneAmount> free = topology::FreeOf(kubelet_.Machine(node));
  for (const cluster::Zone& zone : topology.zones) {
    ZoneDescription described{.zone = zone.id, .name = zone.name};
    described.allocatable = zone.allocatable;
    described.available = zone.available;
    for (const cluster::ZoneAmount& each : free) {
      if (each.zone == zone.id) described.free = each.amount;
    }
    description.zones.push_back(std::move(described));
  }
}

std::optional<NodeDescription> Placement::Describe(std::string_view node_name, Time now) const {
  auto node = state_.FindNode(node_name);
  if (!node) return std::nullopt;
  const auto& resources = zones_.options().managed_resources;
  const cluster::NodeTopology* topology = state_.Topology(*node);
  NodeDescription description;
  description.name = node_name;
  description.mode = zones_.Mode(*node);
  description.single_numa = zones_.SingleNuma(*node);
  if (topology) description.defect = topology->defect;
  if (kubelet_.Predicts(*node)) DescribeKubelet(*node, *topology, description);
  for (const auto& figures : zones_.Figures(*node, now)) {
    if (kubelet_.Predicts(*node)) break;
    ZoneDescription zone;
    zone.zone = figures.zone;
    zone.name = CraneZoneName(figures.zone);
    zone.present = figures.present;
    zone.stale = figures.stale;
    zone.allocatable = Named(figures.allocatable, resources);
    zone.effective = Named(figures.effective, resources);
    zone.used = Named(figures.used, resources);
    zone.free = Named(figures.free, resources);
    zone.cores = figures.cores;
    zone.whole_cores = figures.whole_cores;
    if (topology) {
      for (const cluster::Zone& each : topology->zones) {
        if (each.id != figures.zone) continue;
        zone.name = each.name;
        zone.offline_cpu = each.offline_cpu;
      }
    }
    description.zones.push_back(std::move(zone));
  }
  std::vector<topology::KubeletAccount::PodFigures> in_kubelet;
  if (kubelet_.Predicts(*node)) in_kubelet = kubelet_.Pods(*node);
  for (const cluster::PlacedPod* placed : state_.PodsOn(*node)) {
    const cluster::Ledger::Entry* entry = state_.ledger().Find(placed->pod->uid);
    NodeDescription::PodOnNode pod{placed->pod->Key(), placed->pod->uid, Shares(*node, placed->zones), std::nullopt};
    if (entry) pod.reservation = entry->state;
    for (const auto& figures : in_kubelet) {
      if (figures.uid != pod.uid) continue;
      pod.kubelet = figures;
      if (!figures.observed.empty()) pod.zones = Shares(*node, figures.observed);
    }
    description.pods.push_back(std::move(pod));
  }
  std::sort(description.pods.begin(), description.pods.end(),
            [](const auto& a, const auto& b) { return a.uid < b.uid; });
  return description;
}

}  // namespace huygens::placement
