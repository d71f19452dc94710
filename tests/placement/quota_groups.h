// A Placement that checks budgets, and groups and pods for it in a line each.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placement/placement.h"
#include "quota/amounts.h"
#include "tests/cluster/build.h"

namespace huygens::test {

using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

inline cluster::QuotaAmounts AmountsOf(Pairs pairs) {
  cluster::QuotaAmounts amounts;
  for (const auto& [key, text] : pairs) quota::Set(amounts, key, *Quantity::Parse(text));
  return amounts;
}

inline cluster::BizGroupQuota MakeGroup(std::string name, Pairs hard, std::string parent = "") {
  cluster::BizGroupQuota group;
  group.name = std::move(name);
  group.parent = std::move(parent);
  group.hard = AmountsOf(hard);
  return group;
}

inline std::shared_ptr<cluster::Pod> MakeGroupPod(const std::string& uid, int64_t cpus, std::string group,
                                                  std::string cpu_model = "") {
  auto pod = MakePod(uid, cpus);
  pod->quota = std::make_shared<const cluster::QuotaLabels>(
      cluster::QuotaLabels{.group = std::move(group), .cpu_model = std::move(cpu_model)});
  return pod;
}

// Nodes n0, n1, ... without topology, of model A4 the even ones.
class QuotaPlacement {
 public:
  explicit QuotaPlacement(quota::Enforcement enforcement = quota::Enforcement::kPlacement, int nodes = 3)
      : QuotaPlacement({"topology", "quota"}, enforcement, nodes) {}
  explicit QuotaPlacement(std::vector<placement::CheckSetting> checks,
                          quota::Enforcement enforcement = quota::Enforcement::kPlacement, int nodes = 3) {
    placement = std::move(*placement::Placement::Create({.checks = std::move(checks),
                                                         .quota = {.enforcement = enforcement},
                                                         .resource_names = &names_,
                                                         .waiting_pods = 1000}));
    for (int i = 0; i < nodes; ++i) {
      cluster::Node node = MakeNode(Concat("n", std::to_string(i)));
      if (i % 2 == 0) node.labels = {{"huygens.dev/cpu-model", "A4"}};
      node_names.push_back(node.name);
      placement->Apply(cluster::NodeSet{std::move(node)});
    }
  }
  void Set(cluster::BizGroupQuota group) { placement->Apply(cluster::BizGroupQuotaSet{std::move(group)}); }

  // What filter says of each node; the same for all of them as one text.
  std::string Filter(const cluster::Pod& pod) {
    const std::vector<std::string_view> asked(node_names.begin(), node_names.end());
    const placement::FilterAnswer& answer = last_answer = placement->Filter(pod, asked, kNow);
    std::string text;
    for (const placement::Reason reason : answer.reasons) {
      if (text.empty() || reason != answer.reasons[0]) text += Concat(text.empty() ? "" : ", ", Label(reason));
    }
    return text;
  }
  // What filter said last.
  void Remember(const std::shared_ptr<const cluster::Pod>& pod) { placement->Remember(pod, last_answer); }
  // What people are told.
  std::string Why(const cluster::Pod& pod) {
    Filter(pod);
    const std::vector<std::string_view> asked(node_names.begin(), node_names.end());
    return placement->Filter(pod, asked, kNow).quota;
  }
  bool Reserve(const std::shared_ptr<cluster::Pod>& pod, const std::string& node = "n0") {
    return placement->Reserve(pod, node, kNow)->Accepted();
  }
  // The API server shows the pod on the node.
  void Bind(const cluster::Pod& pod, const std::string& node = "n0") {
    auto bound = std::make_shared<cluster::Pod>(pod);
    bound->node_name = node;
    placement->Apply(cluster::PodSet{std::move(bound)});
  }
  // "limits.cpu=4 pods=2", of the general keys that tests look at.
  std::string Used(std::string_view group, std::string_view key = "limits.cpu") const {
    const auto& groups = placement->quota()->tree().groups();
    auto found = groups.find(group);
    return found == groups.end() ? "(unknown)" : quota::Get(found->second.used, key).Canonical();
  }

  std::unique_ptr<placement::Placement> placement;
  std::vector<std::string> node_names;
  placement::FilterAnswer last_answer;  // of Filter

 private:
  ResourceNames names_;
};

}  // namespace huygens::test
