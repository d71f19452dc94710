#include "capacity_writer/capacity_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/duration_text.h"
#include "capacity_writer/list_map.h"
#include "capacity_writer/zone_patches.h"
#include "kube/api_call.h"
#include "kube/list_path.h"
#include "kube/object_call.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;
using real_capacity::Answer;
using real_capacity::Finding;
using real_capacity::Outcome;
using real_capacity::Plan;
using real_capacity::QueryFacts;

constexpr Duration kCallTimeout = std::chrono::seconds(10);
constexpr Duration kConflictPause = std::chrono::seconds(1);
static_assert(observe::kZoneStates.size() == real_capacity::kOutcomes);
// The key of the sources; those of objects have a slash in them.
constexpr char kFacts[] = "facts";
// Between two looks at a definition: one that is not as it should be may be mended any time.
constexpr Duration kDefinitionHolds = std::chrono::minutes(10), kDefinitionFails = std::chrono::seconds(30);

std::string_view PrefixOf(TopologySource source) { return source == TopologySource::kCrane ? "crane/" : "community/"; }

cluster::Kind ClusterKind(TopologySource source) {
  return source == TopologySource::kCrane ? cluster::Kind::kCraneTopology : cluster::Kind::kCommunityTopology;
}

std::vector<std::string> NamesOf(const real_capacity::Rules& rules) {
  std::vector<std::string> names;
  for (const real_capacity::AttributeRule& rule : rules.attributes) {
    names.push_back(rule.name);
    names.push_back(Concat(rule.name, real_capacity::kUpdatedSuffix));
  }
  return names;
}

}  // namespace

CapacityReconciler::CapacityReconciler(CapacityOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      names_(NamesOf(options_.rules)),
      rate_(options_.writes_per_second),
      news_(environment_.calls, environment_.clock, environment_.log, environment_.random, environment_.instance),
      query_news_(options_.sources.queries.size()) {
  for (const QuerySource& each : options_.sources.queries) counts_.queries[each.name] = {};
  ForgetZones();
  for (const TopologySource source : options_.kinds) {
    Kind& kind = kinds_.emplace_back();
    kind.source = source;
    kind.zones = std::make_unique<WatchedZones>(source, resource_names_, environment_.loop, environment_.log,
                                                environment_.metrics, [this, source](const ZoneObject& object) {
                                                  if (answered_) keys_->Add(Concat(PrefixOf(source), object.name));
                                                });
  }
}

CapacityReconciler::~CapacityReconciler() {
  StopLeading();
  for (Kind& each : kinds_) each.zones->Stop();
}

void CapacityReconciler::Start(reconcile::WorkKeys& keys) {
  keys_ = &keys;
  for (Kind& each : kinds_) {
    if (const Status started = each.zones->Start(environment_.api_server); !started.ok()) {
      environment_.log.Error("cannot follow topology objects", {{"why", Message(started)}});
    }
  }
}

std::string CapacityReconciler::NotReady() const {
  for (const Kind& each : kinds_) {
    if (std::string why = each.zones->NotReady(); !why.empty()) return why;
  }
  return "";
}

std::string CapacityReconciler::KeyOf(const Kind& kind, std::string_view node) const {
  return Concat(PrefixOf(kind.source), node);
}

CapacityReconciler::Kind* CapacityReconciler::KindOfKey(std::string_view key, std::string_view& node) {
  for (Kind& each : kinds_) {
    if (!key.starts_with(PrefixOf(each.source))) continue;
    node = key.substr(PrefixOf(each.source).size());
    return &each;
  }
  return nullptr;
}

// All keys are asked for when this instance begins to lead, and at each resync: the first time the sources are.
void CapacityReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  visit(kFacts);
  for (const Kind& kind : kinds_) {
    for (const auto& [name, object] : kind.zones->objects()) visit(KeyOf(kind, name));
  }
}

void CapacityReconciler::StopLeading() {
  poller_.reset();
  answered_ = false;
  facts_.clear();
  written_.clear();
  ForgetZones();
  for (Kind& each : kinds_) {
    each.is_map.reset();
    each.fault.clear();
    each.asking = false;
  }
}

void CapacityReconciler::Reconcile(const std::string& key, Done done) {
  if (key == kFacts) {  // the term begins, or goes on
    if (poller_ != nullptr) return done({});
    auto source = MakeFactSource(options_.sources);
    if (!source.ok()) return done({.status = source.status()});
    for (const QuerySource& each : options_.sources.queries) facts_.emplace_back(each.name, !each.zone_label.empty());
    for (Kind& each : kinds_) AskForDefinition(each);
    poller_ = std::make_unique<FactPoller>(*std::move(source), options_.interval, environment_.clock, environment_.loop,
                                           [this](const std::vector<Answer>& answers) { Take(answers); });
    return done({});
  }
  std::string_view node;
  Kind* const kind = KindOfKey(key, node);
  const ZoneObject* const object = kind == nullptr ? nullptr : kind->zones->Find(node);
  if (object == nullptr || !answered_) return done({});
  const Plan plan = PlanOf(*kind, *object);
  if (!plan.write) return done({.again = plan.again});
  if (!options_.writes) {
    if (const auto left_out = reports_.Allow(environment_.clock.Now()); left_out && !ChangesIn(plan).empty()) {
      environment_.log.Info("real capacity would be written",
                            {{"node", node}, {"what", ChangesIn(plan)}, {"leftOut", *left_out}});
    }
    return done({});
  }
  // Told by /readyz and the metrics; when the definition is known, all are planned anew.
  if (!kind->is_map || (!*kind->is_map && !options_.carry_over)) return done({});
  if (const auto wait = rate_.Take(environment_.monotonic())) return done({.again = wait});
  Write(*kind, *object, plan, key, std::move(done));
}

Plan CapacityReconciler::PlanOf(const Kind& kind, const ZoneObject& object) const {
  std::vector<real_capacity::ZoneState> zones = object.States();
  // Without a map nobody knows who wrote what: what the rules are about is huygens'.
  if (kind.is_map && !*kind.is_map) {
    for (real_capacity::ZoneState& zone : zones) {
      zone.ours.clear();
      for (const auto& [name, text] : zone.attributes) {
        if (std::ranges::find(names_, name) != names_.end()) zone.ours.insert(name);
      }
    }
  }
  const auto written = written_.find(KeyOf(kind, object.name));
  return real_capacity::PlanFor(options_.rules, facts_, object.name, zones, environment_.clock.Now(),
                                written == written_.end() ? std::nullopt : std::optional(written->second));
}

void CapacityReconciler::Write(Kind& kind, const ZoneObject& object, const Plan& plan, const std::string& key,
                               Done done) {
  const bool apply = *kind.is_map;
  std::string body = apply ? EncodeApply(object, plan.zones) : EncodeJsonPatch(object, plan.zones, names_);
  if (body.empty() || !kube::IsObjectName(object.name)) return done({});
  const std::string path = Concat(kube::ListPath(ClusterKind(object.source)), "/", object.name,
                                  "?fieldManager=", kFieldManager, apply && options_.take_over ? "&force=true" : "");
  environment_.calls.Post([this, apply, path, key, object, plan, body = std::move(body), done = std::move(done)](
                              net::Client& client, Duration longest) -> kube::CallPool::Then {
    const Status status = kube::CallForObject(client, "PATCH", path, body, std::min(longest, kCallTimeout),
                                              apply ? kube::ApplyHeaders() : kube::PatchHeaders("json"))
                              .status();
    // Both are a 409: of another version, and of fields that somebody else owns.
    const bool conflict = absl::IsAborted(status) && Message(status).find("conflict with ") != std::string_view::npos;
    return [=, this] { Ended(object, plan, key, {.conflict = conflict, .status = status}, done); };
  });
}

void CapacityReconciler::Ended(const ZoneObject& object, const Plan& plan, const std::string& key,
                               const Written& written, const Done& done) {
  const std::string changes = ChangesIn(plan);
  if (written.status.ok()) {
    written_[key] = environment_.clock.Now();
    ++counts_.written;
    environment_.log.Write(changes.empty() ? observe::LogLevel::kDebug : observe::LogLevel::kInfo,
                           "real capacity written", {{"node", object.name}, {"what", changes}});
    for (const Finding& each : plan.findings) {
      if (each.outcome != Outcome::kRemove) continue;
      ++counts_.removed;
      news_.Tell(object, "RealCapacityRemoved",
                 Concat("attribute ", each.attribute, " of zone ", each.zone, " is removed, it was ", each.before, ": ",
                        each.why),
                 false);
    }
    return done({});
  }
  // Another version came first, as an agent may write at any time: the watch brings it.
  if (absl::IsAborted(written.status) && !written.conflict) {
    ++counts_.conflicts;
    return done({.again = kConflictPause});
  }
  ++(written.conflict || absl::IsFailedPrecondition(written.status) ? counts_.refused : counts_.failed);
  if (written.conflict) {
    news_.Tell(object, "RealCapacityNotWritten",
               Concat(Message(written.status), "; end that writer, or set controller.realCapacity.takeOver"), true);
  }
  done({.status = Annotate(written.status, written.conflict
                                               ? "another writer owns the attribute (controller.realCapacity.takeOver)"
                                               : Concat("real capacity of ", object.name))});
}

void CapacityReconciler::Take(const std::vector<Answer>& answers) {
  for (size_t i = 0; i < facts_.size() && i < answers.size(); ++i) facts_[i].Take(answers[i]);
  answered_ = true;
  Note(answers);
  const Duration now = environment_.monotonic();
  for (Kind& each : kinds_) {
    if (now - each.asked >= (each.is_map.value_or(false) ? kDefinitionHolds : kDefinitionFails)) AskForDefinition(each);
  }
  CountUnknown();
  PlanAll();
}

// What the sources say, and that they say nothing: once, and once more when they do again.
void CapacityReconciler::Note(const std::vector<Answer>& answers) {
  for (size_t i = 0; i < facts_.size() && i < answers.size(); ++i) {
    const QueryFacts& facts = facts_[i];
    observe::RealCapacityCounts::Query& count = counts_.queries[facts.name()];
    ++(facts.fault().empty() ? count.good : count.bad);
    count.answered = facts.answered();
    if (!query_news_[i].Changes(facts.fault())) continue;
    if (facts.fault().empty()) {
      environment_.log.Info("facts of real capacity are there again", {{"query", facts.name()}});
    } else {
      environment_.log.Warn("no facts of real capacity; what is written stays and grows old",
                            {{"query", facts.name()}, {"why", facts.fault()}});
    }
  }
}

// Of what the sources name, what the cluster does not have.
void CapacityReconciler::CountUnknown() {
  counts_.unknown_nodes = counts_.unknown_zones = 0;
  for (const QueryFacts& facts : facts_) {
    facts.ForEach([&](std::string_view node, int zone) {
      bool node_known = false, zone_known = zone == real_capacity::kWholeNode;
      for (const Kind& kind : kinds_) {
        const ZoneObject* const object = kind.zones->Find(node);
        if (object == nullptr) continue;
        node_known = true;
        for (const ZoneObject::Zone& each : object->zones) zone_known = zone_known || (each.counts && each.id == zone);
      }
      if (!node_known) ++counts_.unknown_nodes;
      if (node_known && !zone_known) ++counts_.unknown_zones;
    });
  }
}

void CapacityReconciler::ForgetZones() {
  for (const real_capacity::AttributeRule& rule : options_.rules.attributes) counts_.zones[rule.name] = {};
}

void CapacityReconciler::CountZone(const Finding& finding) {
  const auto found = counts_.zones.find(finding.attribute);  // one that no rule is for is taken away
  if (found != counts_.zones.end()) ++found->second[static_cast<size_t>(finding.outcome)];
}

void CapacityReconciler::PlanAll() {
  ForgetZones();
  absl::erase_if(written_, [this](const auto& each) {
    std::string_view node;
    const Kind* const kind = KindOfKey(each.first, node);
    return kind == nullptr || kind->zones->Find(node) == nullptr;
  });
  for (const Kind& kind : kinds_) {
    for (const auto& [name, object] : kind.zones->objects()) {
      const Plan plan = PlanOf(kind, object);
      for (const Finding& each : plan.findings) {
        CountZone(each);
        if (each.outcome != Outcome::kRefused) continue;
        if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
          environment_.log.Warn("a fact of real capacity cannot be used", {{"node", name},
                                                                           {"zone", each.zone},
                                                                           {"attribute", each.attribute},
                                                                           {"why", each.why},
                                                                           {"leftOut", *left_out}});
        }
      }
      if (plan.write || plan.again) keys_->Add(KeyOf(kind, name));
    }
  }
}

void CapacityReconciler::AskForDefinition(Kind& kind) {
  if (kind.asking || !options_.writes || kind.zones->objects().empty()) return;
  kind.asking = true;
  kind.asked = environment_.monotonic();
  const std::string path =
      Concat("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/", cluster::Name(ClusterKind(kind.source)));
  environment_.calls.Post([this, &kind, path](net::Client& client, Duration longest) -> kube::CallPool::Then {
    const auto reply = kube::CallForObject(client, "GET", path, "", std::min(longest, kCallTimeout));
    StatusOr<bool> is_map = reply.ok() ? ZonesAreMap(reply->body, kind.source) : reply.status();
    return [this, &kind, is_map = std::move(is_map)] {
      kind.asking = false;
      const std::string before = std::exchange(kind.fault, "");
      if (!is_map.ok()) {
        // What was known of it holds on: a definition changes seldom.
        if (!kind.is_map) kind.fault = Concat("its definition cannot be read: ", Message(is_map.status()));
      } else {
        kind.is_map = *is_map;
        if (!*is_map) {
          kind.fault = options_.carry_over
                           ? "its definition has no map of zones: attributes are put into the list of whoever writes it"
                           : "its definition has no map of zones, where each writer owns what it wrote, so nothing is "
                             "written: apply config/crd, or set controller.realCapacity.withoutListMap to carryOver";
        }
      }
      if (kind.fault != before && !kind.fault.empty()) {
        environment_.log.Warn("real capacity",
                              {{"kind", cluster::Name(ClusterKind(kind.source))}, {"why", kind.fault}});
      }
      if (answered_) PlanAll();
    };
  });
}

void CapacityReconciler::RefreshMetrics(observe::Metrics& metrics) const {
  metrics.controller().SetRealCapacity(counts_);
}

void CapacityReconciler::Describe(observe::Readiness& readiness) const {
  for (const Kind& each : kinds_) readiness.items.push_back(each.zones->Describe());
  observe::Readiness::Item item{.name = "realCapacity"};
  std::vector<std::string> faults;
  for (const Kind& each : kinds_) {
    if (!each.fault.empty()) faults.push_back(Concat(cluster::Name(ClusterKind(each.source)), ": ", each.fault));
  }
  for (const QueryFacts& each : facts_) {
    if (each.fault().empty()) continue;
    const auto last = each.answered();
    faults.push_back(Concat("query ", each.name(), ": ", each.fault(), "; last answered ",
                            last ? Concat(AgeText(environment_.clock.Now() - *last), " ago") : "never"));
  }
  item.warning = !faults.empty();
  item.ok = faults.empty();
  item.detail = poller_ == nullptr ? "whoever leads writes"
                : !answered_       ? "asking"
                : options_.writes  ? "facts written"
                                   : "facts reported, not written";
  for (size_t i = 0; i < faults.size(); ++i) item.detail = i == 0 ? faults[i] : Concat(item.detail, "; ", faults[i]);
  readiness.items.push_back(std::move(item));
}

}  // namespace huygens::capacity_writer
