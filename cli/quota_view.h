// Budgets of business groups as a running huygens tells them on /debug/quotas (docs/quota.md): amounts as Kubernetes
// writes them, of cash keys in hours. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::cli {

// One key of one group. Empty texts: not limited, or not known.
struct QuotaKeyView {
  std::string key, hard, used, self, children, remaining;
  std::optional<double> share;  // used / hard
  bool unknown = false;         // no pod is ever charged to it
  bool unlimited = false;       // its parent limits it, the group does not
};

// A group above, and the keys of which it has given away more than it has.
struct QuotaOverView {
  std::string group;
  std::vector<std::string> keys;
};

struct QuotaGroupView {
  std::string name, parent;
  std::string state;  // "ok", "terminating", "frozen", "missing"
  std::string why;    // where it is not ok
  std::vector<QuotaKeyView> keys;
  std::vector<QuotaOverView> over_above;
};

struct QuotaTreeView {
  std::string enforcement;             // "placement", "admission", "off"
  std::vector<QuotaGroupView> groups;  // by name
};

// What a pod takes of one key.
struct PodCostView {
  std::string key, cost, used, children, hard;
  bool lacks = false;    // this key refuses it
  bool of_node = false;  // it would be charged to it on nodes of that model only
};

// Who uses a group's budget of a key, from the largest down; the amount of a pod of a cash key is that of an hour.
struct QuotaUseView {
  struct Holder {
    std::string name, amount;
  };
  std::string group, key;
  std::vector<Holder> pods, children;
  int64_t more_pods = 0, more_children = 0;
};

struct PodQuotaView {
  std::string pod, enforcement, group, path;
  std::string cpu_model, gpu_model, memory_model;
  std::optional<int64_t> model_nodes;                             // how many are of these models
  std::string other_models;                                       // what nodes say instead, if none is
  std::string node;                                               // where it holds capacity
  std::string node_cpu_model, node_gpu_model, node_memory_model;  // that it is charged to besides
  bool relabelled = false;       // its labels say something else than what it was bound with
  std::string since;             // RFC 3339
  std::string verdict;           // "charged", "fits", "refused", "noGroup", "ended", "off"
  std::string why;               // of "refused"
  std::string nearest_group;     // that was probably meant, where there is none of this name
  std::string refused_by_model;  // why nodes of some models are not for it
  std::vector<PodCostView> keys;
  std::vector<QuotaUseView> used_by;  // of the keys that refuse it
};

StatusOr<QuotaTreeView> DecodeQuotaTree(std::string_view json);
StatusOr<PodQuotaView> DecodePodQuota(std::string_view json);

}  // namespace huygens::cli
