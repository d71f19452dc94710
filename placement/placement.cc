#include "placement/placement.h"

#include <algorithm>

#include "cluster/unknown_resources.h"
#include "placement/own_hold.h"
#include "policy/pod_usage.h"
#include "policy/zones_asked.h"
#include "scoring/term.h"

namespace huygens::placement {

using policy::CheckMode;

namespace {

// FNV-1a: the same in every process, unlike the hash of the tables.
uint64_t StableHash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

policy::CheckMode Placement::ModeOf(std::string_view check) const {
  auto found = std::ranges::find(checks_, check, &AskedCheck::name);
  return found == checks_.end() ? CheckMode::kOff : found->mode;
}

policy::CheckMode Placement::ModeOf(Need need) const {
  CheckMode strictest = CheckMode::kOff;
  for (const AskedCheck& each : checks_) {
    if (each.needs->*need) strictest = std::max(strictest, each.mode);
  }
  return strictest;
}

void Placement::Apply(const cluster::WatchEvent& event) {
  const auto* set = std::get_if<cluster::PodSet>(&event);
  // It may have been decoded before a node named what it asks for, and come after.
  if (set != nullptr && set->pod->unknown_resources) {
    state_.Apply(cluster::PodSet{AsKnown(set->pod), set->resource_version});
  } else {
    state_.Apply(event);
  }
  // Its claims may have got their names.
  const bool claims = set != nullptr && set->pod->claims && waiting_.Waits(set->pod->uid);
  if (quota_ && (quota_->TakeMoved() || claims)) waiting_.BudgetsChanged();
  const size_t known = options_.resource_names ? options_.resource_names->size() : 0;
  if (known == names_known_) return;
  state_.ResourcesKnown(*options_.resource_names, static_cast<ResourceId>(std::exchange(names_known_, known)));
}

std::shared_ptr<const cluster::Pod> Placement::AsKnown(const std::shared_ptr<const cluster::Pod>& pod) const {
  return options_.resource_names ? cluster::WithKnownResources(pod, *options_.resource_names) : pod;
}

policy::PodQuery Placement::Query(const cluster::Pod& pod, Time now) const {
  policy::PodQuery query(pod, now);
  if (!usage_.options().resources.empty()) policy::UsageOf(query, usage_);  // before anything is taken off in thought
  return query;
}

policy::PodQuery Placement::QueryForChecks(const cluster::Pod& pod, Time now, Reports reports,
                                           const quota::Amounts& others) const {
  policy::PodQuery query = Query(pod, now);
  if (quota_) policy::QuotaOf(query, *quota_, state_, others);
  for (const AskedCheck& each : checks_) {
    if (each.mode == CheckMode::kEnforce || reports == Reports::kWanted) each.check->PreparedFor(query, state_);
  }
  return query;
}

const policy::PodQuota& Placement::Quota(const policy::PodQuery& query) const {
  static const policy::PodQuota kFits{};
  const bool asked = ModeOf(&policy::Needs::budgets) != CheckMode::kOff;
  const policy::PodQuota* said = asked ? policy::QuotaOf(query, *quota_, state_) : nullptr;
  return said ? *said : kFits;
}

std::string Placement::WhyRefused(const policy::PodQuery& query, std::span<const NodeIndex> nodes) const {
  const policy::PodQuota& said = Quota(query);
  if (!said.verdict.fits()) return quota::Text(said.verdict, cluster::QuotaLabelsOf(query.pod)->group);
  if (!said.by_model.Any()) return {};
  return quota_->models().Text(said.by_model, cluster::QuotaLabelsOf(query.pod)->group, nodes);
}

std::string Placement::OtherModels(const policy::PodQuery& query, std::span<const NodeIndex> nodes) const {
  const policy::PodQuota& said = Quota(query);
  if (!EnforcesQuota() || !said.models.Any() || !said.verdict.fits()) return {};
  std::string text = quota_->models().Explain(*query.pod.quota, nodes);
  const auto count = std::ranges::count_if(nodes, [&](auto node) { return said.models.Accept(node); });
  if (text.empty() || count == 0) return text;
  return Concat(text, "; ", std::to_string(count), count == 1 ? " node" : " nodes", " of what it wants ",
                count == 1 ? "is" : "are", " refused for another reason");
}

void Placement::SetUnreadable(std::string claims, std::string classes) {
  if (!quota_) return;
  quota_->SetUnreadable(std::move(claims), std::move(classes));
  waiting_.BudgetsChanged();
}

quota::Verdict Placement::CheckQuota(const cluster::Pod& pod, const quota::Amounts& others) const {
  return quota_ ? policy::GroupVerdict(pod, *quota_, state_, others) : quota::Verdict();
}

quota::VerdictsByModel Placement::CheckQuotaByModel(const cluster::Pod& pod, const quota::Amounts& others) const {
  return quota_ ? policy::GroupVerdictsByModel(pod, *quota_, state_, others) : quota::VerdictsByModel();
}

void Placement::ApplyUsage(const usage::Readings& readings, Time now) {
  usage_.Apply(readings, now);
  ++usage_revision_;
}

bool Placement::SettleUsage(size_t nodes) {
  ++usage_revision_;
  if (usage_.Settle(nodes)) return true;
  for (NodeIndex node : usage_.TakeRelieved()) waiting_.Changed(node);
  for (const AskedCheck& each : checks_) each.check->UsageChanged();
  for (size_t t = 0; t < mean_.size(); ++t) mean_.term(t).UsageChanged();
  return false;
}

void Placement::RunChecks(const policy::PodQuery& query, std::span<const NodeIndex> nodes, Reports reports) {
  candidates_.Reset(nodes);
  const auto asked = [reports](CheckMode mode) { return mode == CheckMode::kEnforce || reports == Reports::kWanted; };
  for (size_t c = 0; c < checks_.size(); ++c) {
    if (!asked(checks_[c].mode)) continue;
    candidates_.Begin(c, checks_[c].mode);
    checks_[c].check->Ask(query, state_, candidates_);
  }
  moves_.Check(query, candidates_);
  if (!zones_check_ || !asked(checks_[*zones_check_].mode)) return;
  candidates_.Begin(*zones_check_, checks_[*zones_check_].mode);
  nominated_.Check(query, candidates_);
}

Reason Placement::Judge(const policy::PodQuery& query, NodeIndex node, Reports reports) {
  RunChecks(query, {&node, 1}, reports);
  return candidates_.reason(0);
}

void Placement::CollectReports(FilterAnswer& answer) const {
  for (size_t c = 0; c < checks_.size(); ++c) {
    const std::span<const Reason> said = candidates_.reports(c);
    if (said.empty()) continue;
    CheckReport report{.check = checks_[c].name, .reasons = {}, .nodes = {}};
    report.reasons.assign(answer.reasons.size(), Reason::kFits);
    report.nodes.reserve(answer.feasible.size());
    for (size_t i = 0; i < answer.nodes.size(); ++i) {
      if (said[i] == Reason::kFits || candidates_.Rejected(i)) continue;
      report.reasons[positions_[i]] = said[i];
      report.nodes.push_back(answer.nodes[i]);
    }
    report.everywhere = report.nodes.size() == answer.feasible.size();
    if (!report.nodes.empty()) answer.reports.push_back(std::move(report));
  }
  const auto refused = [&](size_t position) {
    return answer.reasons[position] != Reason::kFits || std::ranges::any_of(answer.reports, [&](const auto& each) {
             return each.reasons[position] != Reason::kFits;
           });
  };
  answer.reports_leave_none = !answer.reports.empty() && std::ranges::all_of(positions_, refused);
}

bool Placement::SharesWithGang(const policy::PodQuery& query) const {
  if (query.pod.scheduling_group.empty()) return false;
  if (accounts_of_victims_.size() > 1) return true;  // besides zones there is real use, or what a check counts itself
  const auto asks = [&](const auto& kind) { return policy::ZonesAsked(query, *kind) != nullptr; };
  return std::ranges::any_of(kinds_.all(), asks) || (EnforcesQuota() && quota::Account::Counts(query.pod));
}

FilterAnswer Placement::Filter(const cluster::Pod& pod, std::span<const std::string_view> node_names, Time now) {
  const MoveHolds::Unpaid unpaid(moves_, quota_.get(), pod);
  const policy::PodQuery query = QueryForChecks(pod, now, Reports::kWanted);
  if (options_.narrow_to > 0 || !pod.scheduling_group.empty()) mean_.Prepare(query, state_);
  lookup_.Resolve(state_, node_names, nodes_, positions_);
  FilterAnswer answer;
  answer.nodes = nodes_;
  answer.feasible = positions_;
  const OwnHold own(state_, accounts_, pod), move(accounts_, moves_.StandInOf(pod));
  const NominatedPods::Kept kept(nominated_, query, answer.nodes);
  RunChecks(query, answer.nodes, Reports::kWanted);
  answer.reasons.assign(node_names.size(), Reason::kUnknownNode);
  answer.may_repeat = node_names.size() > answer.nodes.size() + 1;
  asked_in_.resize(state_.NodeSlots());
  ++filter_calls_;
  size_t feasible = 0;
  for (size_t i = 0; i < answer.nodes.size(); ++i) {
    answer.may_repeat |= std::exchange(asked_in_[answer.nodes[i]], filter_calls_) == filter_calls_;
    answer.reasons[positions_[i]] = candidates_.reason(i);
    if (!candidates_.Rejected(i)) answer.feasible[feasible++] = positions_[i];
  }
  answer.feasible.resize(feasible);
  if (feasible == 0) answer.models = OtherModels(query, answer.nodes);
  ExplainQuota(query, answer);
  CollectReports(answer);
  // To which of several nodes a pod goes is not heard before it is bound: too late for the others of its gang.
  const bool promises = feasible > 0 && SharesWithGang(query);
  const size_t wanted = promises ? 1 : options_.narrow_to;
  if (wanted > 0 && feasible > wanted) Narrow(query, wanted, answer);
  if (promises) {
    const NodeIndex node = *state_.FindNode(node_names[answer.feasible.front()]);
    answer.promise = Promise{node, ChooseZones(query, node).value_or(std::vector<cluster::ZoneAmount>()), now};
  }
  return answer;
}

void Placement::ExplainQuota(const policy::PodQuery& query, FilterAnswer& answer) const {
  const policy::PodQuota& said = Quota(query);
  const bool enforced = EnforcesQuota();
  answer.quota_everywhere = enforced && !said.verdict.fits();
  if (enforced) answer.quota_models = said.by_model.Refused();
  // That some nodes are not for the pod is nobody's concern while others are, and where nodes lack something else, too,
  // it does not wait for budget alone.
  bool tell = !said.verdict.fits() || said.by_model.Any();
  bool used_up = said.verdict.fits() ? said.by_model.Any() : !said.verdict.shortages.empty();
  for (size_t i = 0; said.verdict.fits() && tell && i < answer.nodes.size(); ++i) {
    const quota::Verdict* there = said.by_model.On(answer.nodes[i]);
    tell = there != nullptr || candidates_.Rejected(i);
    used_up = used_up && there != nullptr && !there->shortages.empty();
  }
  if (tell) (enforced ? answer.quota : answer.quota_report) = WhyRefused(query, answer.nodes);
  answer.quota_used_up = used_up;
}

void Placement::Remember(const std::shared_ptr<const cluster::Pod>& pod, const FilterAnswer& answer) {
  if (!answer.feasible.empty()) {
    waiting_.Remove(pod->uid);
    if (answer.promise) gangs_.Hold(AsKnown(pod), answer.promise->node, answer.promise->zones, answer.promise->made);
    return;
  }
  if (!pod->scheduling_group.empty()) gangs_.Refused(*pod);
  if (answer.reasons.empty()) return;
  waiting_.Add(pod, answer.nodes, answer.nodes.size() < answer.reasons.size(),
               {.held = answer.quota_everywhere, .models = answer.quota_models});
}

std::optional<NodeIndex> Placement::FirstFit(const cluster::Pod& pod, std::span<const NodeIndex> nodes, Time now,
                                             const quota::Amounts& others) {
  const MoveHolds::Unpaid unpaid(moves_, quota_.get(), pod);
  const policy::PodQuery query = QueryForChecks(pod, now, Reports::kUnwanted, others);
  const OwnHold own(state_, accounts_, pod), move(accounts_, moves_.StandInOf(pod));
  const NominatedPods::Kept kept(nominated_, query, nodes);
  RunChecks(query, nodes, Reports::kUnwanted);
  size_t first = 0;
  while (first < nodes.size() && candidates_.Rejected(first)) ++first;
  return first < nodes.size() ? std::optional(nodes[first]) : std::nullopt;
}

bool Placement::FitsTogether(std::span<const std::shared_ptr<const cluster::Pod>> pods, NodeIndex node, Time now) {
  if (kinds_.Of(node).OrderMatters()) return true;
  const policy::PodQuery first = Query(*pods.front(), now);
  const OwnHold own(state_, accounts_, *pods.front());  // it may be bound, and about to grow
  std::optional<std::vector<cluster::ZoneAmount>> zones;
  {
    const NominatedPods::Kept kept(nominated_, first, {&node, 1});
    zones = ChooseZones(first, node);
  }
  if (!zones && Enforces(&policy::Needs::zones)) return false;
  const cluster::PlacedPod supposed{pods.front(), node, std::move(zones).value_or(std::vector<cluster::ZoneAmount>())};
  for (cluster::Account* account : accounts_) account->Place(supposed);
  const auto fits = [&](const auto& pod) { return FirstFit(*pod, {&node, 1}, now).has_value(); };
  const bool takes = std::ranges::any_of(pods.subspan(1), fits);
  for (cluster::Account* account : accounts_) account->Leave(supposed);
  return takes;
}

void Placement::Narrow(const policy::PodQuery& query, size_t wanted, FilterAnswer& answer) {
  nodes_.clear();
  for (size_t i = 0; i < answer.nodes.size(); ++i) {
    if (!candidates_.Rejected(i)) nodes_.push_back(answer.nodes[i]);
  }
  means_.resize(nodes_.size());
  mean_.Mean(query, state_, nodes_, means_);

  ranking_ = means_;
  auto last_kept = ranking_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  std::nth_element(ranking_.begin(), last_kept, ranking_.end(), std::greater<>());
  const double bar = *last_kept;
  auto better =
      static_cast<size_t>(std::count_if(means_.begin(), means_.end(), [&](double mean) { return mean > bar; }));
  auto equal = static_cast<size_t>(std::count(means_.begin(), means_.end(), bar));
  // Without the revision a pod that fails on its nodes for reasons unknown here would be offered the same ones for
  // ever.
  const std::string_view identity =
      query.pod.uid.empty() ? std::string_view(query.pod.name) : std::string_view(query.pod.uid);
  const size_t first = (StableHash(identity) + revision()) % equal;
  const size_t of_equals = wanted - better;

  std::vector<uint32_t>& feasible = answer.feasible;
  size_t out = 0;
  size_t turn = 0;  // among the equals
  for (size_t i = 0; i < means_.size(); ++i) {
    bool keep = means_[i] > bar;
    if (means_[i] == bar) keep = (turn++ + equal - first) % equal < of_equals;
    if (keep) feasible[out++] = feasible[i];
  }
  feasible.resize(out);
  answer.narrowed = true;
}

std::vector<int64_t> Placement::Prioritize(const cluster::Pod& pod, std::span<const std::string_view> node_names,
                                           Time now, std::vector<TermScores>* explain) {
  const policy::PodQuery query = Query(pod, now);
  mean_.Prepare(query, state_);
  lookup_.Resolve(state_, node_names, nodes_, positions_);
  const OwnHold own(state_, accounts_, pod), move(accounts_, moves_.StandInOf(pod));
  const NominatedPods::Kept kept(nominated_, query, nodes_);
  means_.resize(nodes_.size());
  mean_.Mean(query, state_, nodes_, means_);
  std::vector<int64_t> scores(node_names.size());
  for (size_t i = 0; i < nodes_.size(); ++i) scores[positions_[i]] = mean_.Scale(means_[i]);
  if (explain) {
    explain->clear();
    for (size_t t = 0; t < mean_.size(); ++t) {
      TermScores said{std::string(mean_.term(t).name()), mean_.weight(t),
                      std::vector<float>(node_names.size(), scoring::kNoOpinion)};
      const std::span<const float> of_nodes = mean_.said(t);
      for (size_t i = 0; i < nodes_.size(); ++i) said.scores[positions_[i]] = of_nodes[i];
      explain->push_back(std::move(said));
    }
  }
  return scores;
}

StatusOr<Reservation> Placement::ReserveAs(const std::shared_ptr<const cluster::Pod>& pod, std::string_view node_name,
                                           Time now, cluster::ReservationState as) {
  if (pod->uid.empty()) return Invalid(Concat("pod ", pod->Key(), " has no UID"));
  gangs_.Release(pod->uid);  // it is judged anew
  if (const cluster::PlacedPod* placed = state_.FindPlaced(pod->uid)) {
    if (state_.NodeName(placed->node) != node_name) {
      return Conflict(Concat("pod ", pod->Key(), " already holds capacity on node ", state_.NodeName(placed->node)));
    }
    Reservation held;
    held.node = placed->node;
    held.zones = cluster::NameZones(placed->zones, state_.Topology(placed->node));
    held.existed = true;
    return held;
  }
  const auto latest = state_.FindPod(pod->uid);
  for (const cluster::Pod* view : {pod.get(), latest.get()}) {
    if (!view) continue;
    if (view->Bound()) return Conflict(Concat("pod ", pod->Key(), " is already bound to node ", view->node_name));
    if (view->Terminal()) return Refused(Concat("pod ", pod->Key(), " has finished"));
    if (view->deleting) return Refused(Concat("pod ", pod->Key(), " is being deleted"));
  }

  // Its labels may have changed while the call waited: what is judged is what is held.
  const std::shared_ptr<const cluster::Pod> current = AsKnown(latest ? latest : pod);
  std::optional<MoveHolds::Unpaid> unpaid(std::in_place, moves_, quota_.get(), *current);
  std::optional<OwnHold> move(std::in_place, accounts_, moves_.StandInOf(*current));
  const policy::PodQuery query = QueryForChecks(*current, now, Reports::kWanted);
  Reservation made;
  auto node = state_.FindNode(node_name);
  if (!node) {
    made.reason = Reason::kUnknownNode;
    return made;
  }
  made.node = *node;
  const NominatedPods::Kept kept(nominated_, query, {&*node, 1});
  made.reason = Judge(query, *node, Reports::kWanted);
  if (EnforcesQuota())
    made.quota =
        made.reason == Reason::kQuotaOtherModel ? OtherModels(query, {&*node, 1}) : WhyRefused(query, {&*node, 1});
  if (!made.Accepted()) return made;
  bool fits_zones = true;
  for (size_t c = 0; c < checks_.size(); ++c) {
    const std::span<const Reason> said = candidates_.reports(c);
    if (said.empty()) continue;
    made.reports.push_back({checks_[c].name, said.front()});
    fits_zones = fits_zones && c != zones_check_;
  }
  auto zones = fits_zones ? ChooseZones(query, *node) : std::nullopt;
  if (!zones && Enforces(&policy::Needs::zones)) {
    made.reason = Reason::kInsufficientZones;
    return made;
  }
  if (!zones) zones.emplace();
  made.zones = cluster::NameZones(*zones, state_.Topology(*node));
  move.reset();
  unpaid.reset();
  moves_.Consume(current->uid);
  HUYGENS_RETURN_IF_ERROR(state_.Reserve(current, *node, *std::move(zones), now, as));
  return made;
}

std::optional<std::vector<cluster::ZoneAmount>> Placement::ChooseZones(const policy::PodQuery& query,
                                                                       NodeIndex node) const {
  const topology::NodeZones& zones = kinds_.Of(node);
  const topology::PreparedPod* prepared = zones_check_ ? policy::ZonesAsked(query, zones) : nullptr;
  if (prepared == nullptr) return std::vector<cluster::ZoneAmount>();
  // Where the check is enforced it has just found room, so never nothing: a pod without a result would not be counted.
  return zones.Assign(node, *prepared, query.now);
}

}  // namespace huygens::placement
