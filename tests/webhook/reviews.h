// Builds admission reviews and judges them against a tree of groups.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "quota/device_classes.h"
#include "tests/quota/groups.h"
#include "webhook/judgement.h"

namespace huygens::webhook {

// A cluster with the groups org > dept > team of cores, and what a webhook knows of it.
class Reviews {
 public:
  Reviews() {
    tree.Set(quota::MakeGroup("org", "", {{"limits.cpu", "100"}}));
    tree.Set(quota::MakeGroup("team", "org", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
    tree.Set(quota::MakeGroup("other", "org", {{"limits.cpu", "5"}}));
  }

  Judgement Judge(Operation operation, std::string_view kind_group, std::string_view kind, std::string_view object,
                  std::string_view old_object, std::string_view resource, std::string_view subresource = "") const {
    AdmissionRequest request;
    request.uid = "review";
    request.operation = operation;
    request.kind_group = kind_group;
    request.kind = kind;
    request.resource_group = subresource == "scale" ? "apps" : kind_group;
    request.resource = resource;
    request.subresource = subresource;
    request.namespace_name = "shop";
    request.object = object;
    request.old_object = old_object;
    return webhook::Judge(request, {tree, workloads, classes, names}, rules);
  }

  Judgement Create(std::string_view object) const {
    return Judge(Operation::kCreate, "apps", "Deployment", object, "", "deployments");
  }
  Judgement Update(std::string_view before, std::string_view after) const {
    return Judge(Operation::kUpdate, "apps", "Deployment", after, before, "deployments");
  }
  Judgement Scale(int from, int to, std::string_view version = "7") const {
    const auto scale = [&](int replicas) {
      return Concat(R"({"metadata":{"name":"web","namespace":"shop","uid":"web-uid","resourceVersion":")", version,
                    R"("},"spec":{)", replicas == 0 ? "" : Concat(R"("replicas":)", std::to_string(replicas)), "}}");
    };
    return Judge(Operation::kUpdate, "autoscaling", "Scale", scale(to), scale(from), "deployments", "scale");
  }
  Judgement Group(Operation operation, std::string_view object, std::string_view old_object) const {
    return Judge(operation, "quota.huygens.dev", "BizGroupResourceQuota", object, old_object, "bizgroupresourcequotas");
  }
  void Know(std::string_view deployment) {
    workloads.Set(*workloads::DecodeWorkload("apps", "Deployment", deployment, names));
  }

  quota::Tree tree;
  workloads::WorkloadIndex workloads;
  quota::DeviceClasses classes;
  ResourceNames names;
  Rules rules;
};

struct Deployment {
  int replicas = 1;
  std::string group = "team";
  std::string model;
  std::string cores = "1";  // limit; empty: none stated
  std::string owner;        // "apps/v1 ReplicaSet"
  bool deleting = false;
  std::string name = "web";  // the UID is the same with -uid behind

  std::string Json() const {
    std::string labels;
    if (!group.empty()) labels = Concat(R"("biz.group.resource.quota":")", group, R"(")");
    if (!model.empty()) labels += Concat(R"(,"biz.group.resource.quota/cpu-type":")", model, R"(")");
    std::string owners;
    if (const size_t space = owner.find(' '); space != std::string::npos) {
      owners = Concat(R"("ownerReferences":[{"apiVersion":")", owner.substr(0, space), R"(","kind":")",
                      owner.substr(space + 1), R"(","name":"o","uid":"owner-uid","controller":true}],)");
    }
    const std::string limits = cores.empty() ? "{}" : Concat(R"({"cpu":")", cores, R"("})");
    return Concat(R"({"metadata":{"name":")", name, R"(","namespace":"shop","uid":")", name,
                  R"(-uid","resourceVersion":"7",)", owners,
                  deleting ? R"("deletionTimestamp":"2026-01-01T00:00:00Z",)" : "", R"("labels":{)", labels,
                  R"(}},"spec":{"replicas":)", std::to_string(replicas),
                  R"(,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":)", limits, "}}]}}}}");
  }
};

// "team limits.cpu=3 limits.cpu.A4=3; other limits.cpu=-3", or why not.
inline std::string Said(const Judgement& judgement) {
  if (!judgement.allowed) return Concat(std::to_string(judgement.code), " ", judgement.message);
  std::string text;
  for (const GroupChange& change : judgement.changes) {
    text += Concat(text.empty() ? "" : "; ", change.group);
    for (const auto& [key, amount] : change.amounts) text += Concat(" ", key, "=", amount.Canonical());
  }
  return text;
}

}  // namespace huygens::webhook
