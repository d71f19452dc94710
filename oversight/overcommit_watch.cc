#include "oversight/overcommit_watch.h"

#include "absl/strings/str_join.h"
#include "admin/outgrown_zones.h"

namespace huygens::oversight {

namespace {

constexpr int kPeriod = 10;
constexpr size_t kMostExamples = 3;  // of each

void AddExample(size_t found, std::string_view name, std::vector<std::string>& examples) {
  if (found <= kMostExamples) examples.emplace_back(name);
}

bool AboveCeiling(const usage::Account& usage, cluster::NodeIndex node, Time now) {
  for (size_t r = 0; r < usage.options().resources.size(); ++r) {
    const usage::NodeUse use = usage.Use(node, r, now);
    if (use.ceiling && use.state == usage::MetricState::kFresh && use.peak > *use.ceiling) return true;
  }
  return false;
}

}  // namespace

std::string OvercommitWatch::What(const Found& found) const {
  std::vector<std::string> parts;
  const auto add = [&](size_t count, std::string_view one, bool unexpected) {
    if (count > 0 && unexpected) parts.push_back(Concat(std::to_string(count), " ", one, count == 1 ? "" : "s"));
  };
  add(found.zones, "zone", true);
  add(found.groups, "group", Enforces(&policy::Needs::budgets));
  add(found.nodes, "node", Enforces(&policy::Needs::ceilings));
  if (found.nodes > 0 && Enforces(&policy::Needs::ceilings)) parts.back() += " by its usage ceiling";
  return absl::StrJoin(parts, " and ");
}

OvercommitWatch::Found OvercommitWatch::Look() const {
  Found found;
  const Time now = context_.clock.Now();
  for (cluster::NodeIndex node = 0; node < context_.placement.state().NodeSlots(); ++node) LookAtNode(node, now, found);
  LookAtGroups(found);
  found.unexpected = found.zones;
  if (Enforces(&policy::Needs::ceilings)) found.unexpected += found.nodes;
  if (Enforces(&policy::Needs::budgets)) found.unexpected += found.groups;
  return found;
}

void OvercommitWatch::LookAtNode(cluster::NodeIndex node, Time now, Found& found) const {
  const placement::Placement& placement = context_.placement;
  if (placement.state().GetNode(node) == nullptr) return;
  const std::string_view name = placement.state().NodeName(node);
  if (const size_t zones = placement.OvercommittedZones(node, now); zones > 0) {
    found.zones += zones;
    AddExample(found.zones, Concat("node/", name), found.examples);
    for (const admin::OutgrownPod& each : admin::OutgrownOn(placement, node, now)) found.outgrown.push_back(each.pod);
  }
  if (AboveCeiling(placement.usage(), node, now)) {
    ++found.nodes;
    if (Enforces(&policy::Needs::ceilings)) AddExample(found.nodes, Concat("node/", name, " (usage)"), found.examples);
  }
}

void OvercommitWatch::LookAtGroups(Found& found) const {
  if (context_.placement.quota() == nullptr) return;
  for (const auto& [name, group] : context_.placement.quota()->tree().groups()) {
    if (!group.OverBudget()) continue;
    ++found.groups;
    if (Enforces(&policy::Needs::budgets)) AddExample(found.groups, Concat("bizrq/", name), found.examples);
  }
}

void OvercommitWatch::EverySecond() {
  if (--seconds_left_ > 0 || !context_.not_ready().empty()) return;
  seconds_left_ = kPeriod;
  found_ = Look();
  TellOutgrown();
  const size_t count = found_.unexpected;
  if (count > told_) {
    context_.log.Warn("more is given away than there is", {{"zones", found_.zones},
                                                           {"nodesAboveCeiling", found_.nodes},
                                                           {"groups", found_.groups},
                                                           {"such as", absl::StrJoin(found_.examples, ", ")}});
  } else if (count == 0 && told_ > 0) {
    context_.log.Info("nothing is given away twice any more");
  }
  told_ = count;
}

void OvercommitWatch::TellOutgrown() const {
  for (const auto& pod : found_.outgrown) {
    context_.warn(
        *pod, {.reason = "ZonesOutgrown",
               .message = Concat("the pod was resized in place and asks more than its NUMA zones on node ",
                                 pod->node_name, " can give; they are shared with others until it shrinks or moves"),
               .repeat_key = ""});
  }
}

void OvercommitWatch::RefreshMetrics() const {
  context_.metrics.SetOvercommitted("zones", found_.zones);
  context_.metrics.SetOvercommitted("nodes", found_.nodes);
  context_.metrics.SetOvercommitted("groups", found_.groups);
}

std::optional<observe::Readiness::Item> OvercommitWatch::Describe() const {
  if (found_.unexpected == 0) return std::nullopt;
  return observe::Readiness::Item{
      .ok = true,
      .warning = true,
      .name = "overcommitted",
      .detail = Concat(What(found_), found_.unexpected == 1 ? " has" : " have",
                       " given away more than there is, such as ", absl::StrJoin(found_.examples, ", "))};
}

}  // namespace huygens::oversight
