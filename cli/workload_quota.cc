#include "cli/workload_quota.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/quantity.h"
#include "base/text.h"
#include "quota/check.h"
#include "quota/keys.h"
#include "quota/tree.h"
#include "reports/table.h"
#include "wire/biz_group_quota.h"
#include "workloads/charge.h"
#include "workloads/object.h"

namespace huygens::cli {

namespace {

using cluster::BizGroupQuota;
using quota::Amounts;

struct KnownKind {
  std::string_view words;  // with spaces around each
  std::string_view group, version, kind, plural;
};
constexpr std::array<KnownKind, 13> kKinds = {
    {{" deployment deployments deploy ", "apps", "v1", "Deployment", "deployments"},
     {" statefulset statefulsets sts ", "apps", "v1", "StatefulSet", "statefulsets"},
     {" replicaset replicasets rs ", "apps", "v1", "ReplicaSet", "replicasets"},
     {" replicationcontroller replicationcontrollers rc ", "", "v1", "ReplicationController", "replicationcontrollers"},
     {" job jobs ", "batch", "v1", "Job", "jobs"},
     {" rollout rollouts ", "argoproj.io", "v1alpha1", "Rollout", "rollouts"},
     {" cloneset clonesets ", "apps.kruise.io", "v1alpha1", "CloneSet", "clonesets"},
     {" statefulset.apps.kruise.io asts ", "apps.kruise.io", "v1beta1", "StatefulSet", "statefulsets"},
     {" tfjob tfjobs ", "kubeflow.org", "v1", "TFJob", "tfjobs"},
     {" pytorchjob pytorchjobs ", "kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"},
     {" mpijob mpijobs ", "kubeflow.org", "v1", "MPIJob", "mpijobs"},
     {" xgboostjob xgboostjobs ", "kubeflow.org", "v1", "XGBoostJob", "xgboostjobs"},
     {" jaxjob jaxjobs ", "kubeflow.org", "v1", "JAXJob", "jaxjobs"}}};

// The group and those above it, as far as they can be read; `end` says why that is not up to a root.
struct Chain {
  std::vector<BizGroupQuota> groups;
  std::string end;
};

StatusOr<Chain> ReadChain(const ApiCall& call, std::string name) {
  Chain chain;
  while (!name.empty()) {
    if (chain.groups.size() == quota::kMaxDepth) {
      chain.end = "more than 16 levels, or a circle";
      break;
    }
    const auto json = GetObject(call, Concat("/apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas/", name));
    if (absl::IsNotFound(json.status())) {
      chain.end = Concat("bizrq/", name, " does not exist");
      break;
    }
    if (!json.ok()) return json.status();
    HUYGENS_ASSIGN_OR_RETURN(BizGroupQuota group, wire::DecodeBizGroupQuota(*json));
    group.hard = quota::NormalKeys(group.hard);
    group.used = quota::NormalKeys(group.used);
    name = group.parent;
    chain.groups.push_back(std::move(group));
  }
  return chain;
}

std::string Shown(const Quantity* amount) { return amount ? amount->Canonical() : ""; }

std::string NoteOf(const Quantity* used, const Quantity& hard, const Quantity& cost, bool cash) {
  if (!used) return "nobody has counted it yet";
  Quantity left = hard;
  left.Sub(*used);
  if (left.Sign() < 0) return cash ? "SPENT" : "OVER BUDGET";
  if (cash) return left.IsZero() ? "SPENT" : "";
  return cost > hard ? "MORE THAN THE WHOLE BUDGET" : "";
}

std::string ChainTable(const Chain& chain, const Amounts& usage) {
  reports::Table table({"GROUP", "KEY", "COST", "USED", "HARD", "NOTE"});
  for (const BizGroupQuota& group : chain.groups) {
    const bool own = &group == &chain.groups.front();
    std::string name = group.name;
    for (const auto& [key, hard] : group.hard) {
      const Quantity* cost = quota::Grown(usage, key);
      if (!cost || cost->Sign() <= 0) continue;
      const bool cash = quota::IsCash(key);
      const Quantity* used = quota::Find(group.used, key);
      // A group above pays the budgets of those below it, and nothing for the workload itself.
      std::vector<std::string> row = {name, key, own ? Concat(cost->Canonical(), cash ? " an hour" : "") : " ",
                                      Shown(used), hard.Canonical()};
      if (std::string note = NoteOf(used, hard, own ? *cost : Quantity(), cash); !note.empty()) {
        row.push_back(std::move(note));
      }
      table.AddRow(std::move(row));
      name = " ";
    }
  }
  return table.size() == 0 ? "Its group limits nothing that it takes.\n" : table.Text();
}

// The resources that budgets limit, with and without what may be a model behind: only they are looked for in templates.
void Learn(const Amounts& hard, ResourceNames& names) {
  for (const auto& [key, limit] : hard) {
    std::string_view resource = quota::ExtendedResourceOf(key);
    while (!resource.empty()) {
      (void)names.Intern(resource);
      const size_t dot = resource.rfind('.'), slash = resource.find('/');
      if (dot == std::string_view::npos || dot < slash) break;
      resource = resource.substr(0, dot);
    }
  }
}

bool IsReserved(const BizGroupQuota& group, const std::string& uid) {
  return std::any_of(group.reservations.begin(), group.reservations.end(),
                     [&](const auto& each) { return each.uid == uid; });
}

}  // namespace

std::optional<WorkloadArgument> ReadWorkloadArgument(std::string_view given) {
  const size_t slash = given.find('/');
  if (slash == std::string_view::npos || slash + 1 == given.size()) return std::nullopt;
  const std::string word = Concat(" ", given.substr(0, slash), " ");
  for (const KnownKind& each : kKinds) {
    if (each.words.find(word) == std::string_view::npos) continue;
    const std::string root = each.group.empty() ? "/api/v1" : Concat("/apis/", each.group, "/", each.version);
    return WorkloadArgument{std::string(each.group), std::string(each.kind),
                            Concat(root, "/namespaces/%/", each.plural), std::string(given.substr(slash + 1))};
  }
  return std::nullopt;
}

StatusOr<std::string> WorkloadQuotaText(const ApiCall& call, const WorkloadArgument& asked, const std::string& space) {
  const size_t at = asked.path.find('%');
  const std::string path = Concat(asked.path.substr(0, at), space, asked.path.substr(at + 1), "/", asked.name);
  HUYGENS_ASSIGN_OR_RETURN(const std::string json, GetObject(call, path));
  ResourceNames names;
  HUYGENS_ASSIGN_OR_RETURN(workloads::WorkloadObject workload,
                           workloads::DecodeWorkload(asked.group, asked.kind, json, names));
  const std::string title = Concat(asked.kind, " ", space, "/", asked.name);
  if (workload.labels.group.empty()) {
    return Concat(title, " belongs to no group: it has no label ", cluster::kQuotaGroupLabel, ". It costs nothing.\n");
  }
  if (!workload.owner_uid.empty()) {
    return Concat(title, " is made by a ", workload.owner_kind, ", which is charged for it if it is of a group.\n");
  }
  if (!workload.template_name.empty()) {
    return Concat(title, " has its template in ", workload.template_kind, " ", workload.template_name,
                  ", which is not looked at here.\n");
  }
  HUYGENS_ASSIGN_OR_RETURN(const Chain chain, ReadChain(call, workload.labels.group));
  for (const BizGroupQuota& each : chain.groups) Learn(each.hard, names);
  HUYGENS_ASSIGN_OR_RETURN(workload, workloads::DecodeWorkload(asked.group, asked.kind, json, names));
  const quota::DeviceClasses classes;
  HUYGENS_ASSIGN_OR_RETURN(
      const Amounts usage,
      workloads::UsageOf(workload, {.names = names, .classes = classes, .keys = {}, .replicas = {}}));
  std::string way;
  for (const BizGroupQuota& each : chain.groups) way = Concat(each.name, way.empty() ? "" : "/", way);
  std::string text = Concat(title, " of group ", way.empty() ? workload.labels.group : way, "\n");
  if (!chain.end.empty()) text += Concat("REFUSED: ", chain.end, "\n");
  if (chain.groups.empty()) return text;
  const BizGroupQuota& group = chain.groups.front();
  if (!group.defect.empty()) text += Concat("REFUSED: ", group.defect, "\n");
  if (group.deleting) text += "The group is being deleted: it takes nothing new.\n";
  if (const std::string missing = workloads::MissingValues(workload, group.hard); !missing.empty()) {
    text += Concat("Its template ", missing, "\n");
  }
  if (IsReserved(group, workload.uid))
    text += "It has been charged lately, and the controller has not counted it yet.\n";
  return Concat(text, "\n", ChainTable(chain, usage));
}

}  // namespace huygens::cli
