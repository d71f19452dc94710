#include "rule_reports/rule_cluster.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kube/api_call.h"

namespace huygens::rule_reports {

namespace {

using rules::Tree;

struct NamedKind {
  std::string_view kind, group, path, plural, short_name;
};
constexpr NamedKind kKinds[] = {
    {"Pod", "", "/api/v1", "pods", "po"},
    {"Node", "", "/api/v1", "nodes", "no"},
    {"Deployment", "apps", "/apis/apps/v1", "deployments", "deploy"},
    {"StatefulSet", "apps", "/apis/apps/v1", "statefulsets", "sts"},
    {"DaemonSet", "apps", "/apis/apps/v1", "daemonsets", "ds"},
    {"ReplicaSet", "apps", "/apis/apps/v1", "replicasets", "rs"},
    {"Job", "batch", "/apis/batch/v1", "jobs", "job"},
    {"CronJob", "batch", "/apis/batch/v1", "cronjobs", "cj"},
};

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

}  // namespace

Status ForEachStored(const ApiCall& api, const std::string& path,
                     const std::function<Status(const Tree& object)>& take) {
  std::string more;
  do {
    const std::string page =
        Concat(path, "?limit=500", more.empty() ? "" : "&continue=", more.empty() ? "" : net::PercentEncoded(more));
    HUYGENS_ASSIGN_OR_RETURN(const std::string json, GetObject(api, page));
    HUYGENS_ASSIGN_OR_RETURN(const Tree list, Tree::Parse(json));
    if (const Tree* items = list.Find("items"); items != nullptr) {
      for (const Tree& item : items->elements()) HUYGENS_RETURN_IF_ERROR(take(item));
    }
    const Tree* metadata = list.Find("metadata");
    more = metadata != nullptr ? std::string(metadata->TextOf("continue")) : std::string();
  } while (!more.empty());
  return absl::OkStatus();
}

StatusOr<std::vector<rules::SchedulingRule>> StoredRules(const ApiCall& api) {
  std::vector<rules::SchedulingRule> all;
  HUYGENS_RETURN_IF_ERROR(ForEachStored(api, std::string(rules::kRulesPath), [&](const Tree& object) -> Status {
    HUYGENS_ASSIGN_OR_RETURN(rules::SchedulingRule rule, rules::DecodeRule(object.Json()));
    all.push_back(std::move(rule));
    return absl::OkStatus();
  }));
  return all;
}

StatusOr<std::map<std::string, Labels>> StoredNamespaces(const ApiCall& api) {
  std::map<std::string, Labels> all;
  HUYGENS_RETURN_IF_ERROR(ForEachStored(api, "/api/v1/namespaces", [&](const Tree& object) -> Status {
    const Tree* metadata = object.Find("metadata");
    if (metadata == nullptr) return absl::OkStatus();
    Labels& labels = all[std::string(metadata->TextOf("name"))];
    if (const Tree* written = metadata->Find("labels"); written != nullptr) {
      for (const auto& [key, value] : written->members()) labels.emplace_back(key, std::string(value.text()));
    }
    return absl::OkStatus();
  }));
  return all;
}

std::string ObjectName::Title() const { return Concat(kind, " ", space, space.empty() ? "" : "/", name); }

StatusOr<ObjectName> ReadObjectName(std::string_view text, const std::string& space) {
  const size_t slash = text.find('/');
  const std::string kind = slash == std::string_view::npos ? "pod" : Lower(text.substr(0, slash));
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  for (const NamedKind& each : kKinds) {
    if (kind != Lower(each.kind) && kind != each.plural && kind != each.short_name) continue;
    if (!kube::IsObjectName(name)) return Invalid(Concat("\"", name, "\" is no name of an object"));
    const bool node = each.kind == "Node";
    ObjectName object{.group = std::string(each.group),
                      .kind = std::string(each.kind),
                      .space = node ? "" : space,
                      .name = std::string(name),
                      .path = {}};
    object.path = Concat(each.path, node ? "" : "/namespaces/", object.space, "/", each.plural, "/", name);
    return object;
  }
  std::string known;
  for (const NamedKind& each : kKinds) known += Concat(known.empty() ? "" : ", ", Lower(each.kind));
  return Invalid(Concat("\"", kind, "\" is none of the kinds ", known));
}

}  // namespace huygens::rule_reports
