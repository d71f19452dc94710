#include "preflight/permissions.h"

#include <algorithm>

#include "base/text.h"
#include "settings/placement_options.h"
#include "settings/scalar.h"

namespace huygens::preflight {

namespace {

// What is missing of one thing: several verbs, one rule.
struct Missing {
  Permission permission;
  std::vector<std::string_view> verbs;

  bool Takes(const Permission& other) const {
    return permission.group == other.group && permission.resource == other.resource &&
           permission.subresource == other.subresource && permission.namespace_name == other.namespace_name &&
           permission.object == other.object && permission.without == other.without;
  }
  std::string Verbs() const {
    std::string text;
    for (const std::string_view verb : verbs) text += Concat(text.empty() ? "" : ", ", verb);
    return text;
  }
  // Of the ClusterRole or Role that allows it.
  std::string Rule() const {
    const std::string resource =
        Concat(permission.resource, permission.subresource.empty() ? "" : "/", permission.subresource);
    return Concat("- {apiGroups: [", permission.group.empty() ? "\"\"" : permission.group, "], resources: [", resource,
                  "], ", permission.object.empty() ? "" : Concat("resourceNames: [", permission.object, "], "),
                  "verbs: [", Verbs(), "]}");
  }
};

// Whether a check or a term that is on does.
bool Needs(const settings::Configuration& configuration, placement::Need need) {
  ResourceNames names;
  const auto options = settings::PlacementOptions(configuration, names);
  return options.ok() && placement::Asks(*options, need);  // what cannot be used starts no huygens
}

}  // namespace

std::string Permission::Text() const { return Concat(verb, " ", Object()); }

std::string Permission::Object() const {
  return Concat(resource, subresource.empty() ? "" : "/", subresource, object.empty() ? "" : " named ", object,
                group.empty() ? "" : " of ", group, namespace_name.empty() ? "" : " in ", namespace_name);
}

std::vector<Permission> PermissionsFor(const settings::Configuration& configuration, bool budgets_of_devices) {
  std::vector<Permission> all;
  const auto add = [&](std::string_view group, std::string_view resource, std::initializer_list<std::string_view> verbs,
                       std::string_view what_for, Severity without) {
    const size_t slash = resource.find('/');
    const std::string_view part = slash == std::string_view::npos ? std::string_view() : resource.substr(slash + 1);
    for (const std::string_view verb : verbs) {
      all.push_back({.group = group,
                     .resource = resource.substr(0, slash),
                     .subresource = part,
                     .verb = verb,
                     .namespace_name = "",
                     .object = "",
                     .what_for = what_for,
                     .without = without});
    }
  };
  add("", "nodes", {"list", "watch"}, "the state of the cluster", Severity::kError);
  add("", "pods", {"get", "list", "watch"}, "the state of the cluster", Severity::kError);
  for (const std::string_view group : {"topology.crane.io", "topology.node.k8s.io"}) {
    add(group, "noderesourcetopologies", {"list", "watch"}, "the zones of nodes", Severity::kError);
  }
  if (Needs(configuration, &policy::Needs::quota)) {
    add("quota.huygens.dev", "bizgroupresourcequotas", {"list", "watch"}, "budgets of business groups",
        Severity::kError);
    for (const std::string_view resource : {"resourceclaims", "deviceclasses"}) {
      add("resource.k8s.io", resource, {"list", "watch"},
          "budgets of devices; pods that ask for devices are refused where their group has one",
          budgets_of_devices ? Severity::kError : Severity::kWarning);
    }
  }
  if (!configuration.usage.prometheus && Needs(configuration, &policy::Needs::usage)) {
    for (const std::string_view resource : {"nodes", "pods"}) {
      add("metrics.k8s.io", resource, {"list"}, "real use; nothing is measured without", Severity::kWarning);
    }
  }
  add("", "pods/binding", {"create"}, "placing pods", Severity::kError);
  if (configuration.wake.enabled) {
    for (const std::string_view resource : {"nodes/status", "pods/status"}) {
      add("", resource, {"patch"}, "waking rejected pods; they wait up to five minutes without", Severity::kWarning);
    }
  }
  if (!settings::IsLoopback(configuration.server.admin_address)) {
    constexpr std::string_view kAsks = "knowing who asks for /debug from another machine; they are refused without";
    add("authentication.k8s.io", "tokenreviews", {"create"}, kAsks, Severity::kWarning);
    add("authorization.k8s.io", "subjectaccessreviews", {"create"}, kAsks, Severity::kWarning);
  }
  add("", "events", {"create"}, "saying on the pod why it is refused", Severity::kWarning);
  const settings::LeaseConfiguration& lease = configuration.bind.lease;
  if (lease.enabled) {
    for (const std::string_view verb : {"get", "update", "create"}) {
      add("coordination.k8s.io", "leases", {verb}, "the Lease that lets one instance bind at a time", Severity::kError);
      all.back().namespace_name = lease.namespace_name;
      // Creation cannot be limited to a name: at that time the object has none yet.
      if (verb != "create") all.back().object = lease.name;
    }
  }
  return all;
}

Findings JudgePermissions(const std::vector<Access>& accesses, std::string_view account) {
  Findings findings;
  std::vector<Missing> missing;
  std::vector<std::string> unknown;
  std::string why;
  for (const Access& access : accesses) {
    if (!access.asked.ok()) {
      unknown.push_back(access.permission.Text());
      why = Message(access.asked);
    } else if (!access.allowed) {
      if (missing.empty() || !missing.back().Takes(access.permission)) missing.push_back({access.permission, {}});
      missing.back().verbs.push_back(access.permission.verb);
    }
  }
  for (const Missing& each : missing) {
    findings.push_back({Group::kPermissions, each.permission.without,
                        Concat(account, " may not ", each.Verbs(), " ", each.permission.Object()),
                        Concat("Needed for ", each.permission.what_for, "."),
                        Concat("kubectl apply -k config/rbac   # or this rule alone:\n", each.Rule())});
  }
  if (!unknown.empty()) {
    findings.push_back({Group::kPermissions, Severity::kWarning,
                        Concat("nobody could say whether ", account, " may ", SomeOf(unknown)), why, ""});
  }
  if (missing.empty() && unknown.empty()) {
    findings.push_back(
        {Group::kPermissions, Severity::kOk,
         Concat(account, " may do all that this configuration needs (", Counted(accesses.size(), "permission"), ")"),
         "", ""});
  }
  return findings;
}

}  // namespace huygens::preflight
