// What /debug/quotas and /debug/quotas/pods/NAMESPACE/NAME say (docs/quota.md), for the pages that fill it in and for
// whoever reads them; the lists of fields are the format (json/document.h). Amounts are Kubernetes quantities
// ("4", "500m", "64Gi"), those of cash keys in hours. A text that is empty, and what else is not set, is not said or
// not known. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin_api/not_heard_of.h"

namespace huygens::admin_api {

// The tree of business groups, or one group and those below it.
struct QuotaTreeDocument {
  // Keys of its budget and of its parent's, and of what is used without being limited (no `hard`, `remaining`,
  // `share`), ordered. Hours that nobody has counted yet have no `used`, `self`, `remaining` and `share`.
  struct Key {
    std::string key, hard;
    bool unknown = false;    // no pod is ever charged to it; perhaps it is misspelt
    bool unlimited = false;  // its parent limits it, the group does not (nor its twin, quota/keys.h): free for its pods
    std::string used, self, children;
    std::string remaining;        // below 0 where more is used than the budget gives
    std::string carried;          // of hours that come anew each period: what earlier ones left, which `remaining` has
    std::optional<double> share;  // used / hard

    static void Describe(auto& self, auto& fields) {
      fields.Always("key", self.key);
      fields.IfSet("hard", self.hard);
      fields.IfSet("unknown", self.unknown);
      fields.IfSet("unlimited", self.unlimited);
      fields.IfSet("used", self.used);
      fields.IfSet("self", self.self);
      fields.Always("children", self.children);
      fields.IfSet("remaining", self.remaining);
      fields.IfSet("carried", self.carried);
      fields.IfSet("share", self.share);
    }
    bool operator==(const Key&) const = default;
  };
  // A group above, and the keys of which it has given away more than it has: pods that take any of them are refused.
  struct Over {
    std::string group;
    std::vector<std::string> keys;

    static void Describe(auto& self, auto& fields) {
      fields.Always("group", self.group);
      fields.Always("keys", self.keys);
    }
    bool operator==(const Over&) const = default;
  };
  // How many more pods of a size the nodes would take (placement/package_room.h), and what share of what is free of each
  // of its resources is in pieces too small for it.
  struct Package {
    std::string size;  // "cpu=4,memory=16Gi"
    int64_t nodes = 0;
    std::vector<std::pair<std::string, double>> fragmentation;

    static void Describe(auto& self, auto& fields) {
      fields.Always("size", self.size);
      fields.Always("nodes", self.nodes);
      fields.Always("fragmentation", self.fragmentation);
    }
    bool operator==(const Package&) const = default;
  };
  // How many more of them the group's budget has room for (quota/packages.h).
  struct PackageFit {
    std::string size;
    std::optional<int64_t> budget;  // absent: the budget does not limit them
    std::string limited_by;         // a key, or why the group takes none
    bool recommended = false;

    static void Describe(auto& self, auto& fields) {
      fields.Always("size", self.size);
      fields.IfSet("budget", self.budget);
      fields.IfSet("limitedBy", self.limited_by);
      fields.IfSet("recommended", self.recommended);
    }
    bool operator==(const PackageFit&) const = default;
  };
  struct Group {
    std::string name, parent;
    std::string path;         // "org/search/ranking"
    std::string state;        // "ok", "terminating", "frozen", "missing" (only its children or pods name it)
    std::string why;          // where it is not ok
    std::string hours_since;  // RFC 3339: when the period that hours are counted in began, where they come anew
    std::vector<std::string> children;
    std::vector<Key> keys;
    std::vector<Over> over_above;      // its parent first
    std::vector<PackageFit> packages;  // of those that were asked about

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("parent", self.parent);
      fields.Always("path", self.path);
      fields.Always("state", self.state);
      fields.IfSet("why", self.why);
      fields.IfSet("hoursSince", self.hours_since);
      fields.Always("children", self.children);
      fields.Always("keys", self.keys);
      fields.IfSet("overAbove", self.over_above);
      fields.IfSet("packages", self.packages);
    }
    bool operator==(const Group&) const = default;
  };

  std::string enforcement;        // "placement", "admission", "off"
  std::vector<Package> packages;  // that were asked about
  std::vector<Group> groups;      // by name; none where nothing is enforced, for nobody watches them then

  static void Describe(auto& self, auto& fields) {
    fields.Always("enforcement", self.enforcement);
    fields.IfSet("packages", self.packages);
    fields.Always("groups", self.groups);
  }
  bool operator==(const QuotaTreeDocument&) const = default;
};

// What a pod costs its group.
struct PodQuotaDocument {
  struct Models {
    std::string cpu, gpu, memory;

    static void Describe(auto& self, auto& fields) {
      fields.IfSet("cpu", self.cpu);
      fields.IfSet("gpu", self.gpu);
      fields.IfSet("memory", self.memory);
    }
    bool operator==(const Models&) const = default;
  };
  // What it takes of one key; of a cash key in an hour.
  struct Cost {
    std::string key, cost, used;
    std::string children;  // what of `used` was handed to children, if anything
    std::string hard;
    bool lacks = false;    // this key refuses it
    bool of_node = false;  // it would be charged to it on nodes of that model only

    static void Describe(auto& self, auto& fields) {
      fields.Always("key", self.key);
      fields.Always("cost", self.cost);
      fields.IfSet("used", self.used);
      fields.IfSet("children", self.children);
      fields.IfSet("hard", self.hard);
      fields.IfSet("lacks", self.lacks);
      fields.IfSet("ofNode", self.of_node);
    }
    bool operator==(const Cost&) const = default;
  };
  struct Holder {
    std::string name, amount;

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("amount", self.amount);
    }
    bool operator==(const Holder&) const = default;
  };
  // Who uses a group's budget of a key, from the largest down, and how many more there are; of a cash key what pods
  // take an hour, and the hours that children hold. A pod that comes or goes meanwhile may or may not be named.
  struct Use {
    std::string group, key;
    std::vector<Holder> pods;
    int64_t more_pods = 0;
    std::vector<Holder> children;
    int64_t more_children = 0;

    static void Describe(auto& self, auto& fields) {
      fields.Always("group", self.group);
      fields.Always("key", self.key);
      fields.Always("pods", self.pods);
      fields.IfSet("morePods", self.more_pods);
      fields.Always("children", self.children);
      fields.IfSet("moreChildren", self.more_children);
    }
    bool operator==(const Use&) const = default;
  };

  // A budget that refuses the pod, or, of a group above its own, one of which more is given away than there is.
  struct Shortage {
    std::string group, key, used, hard;
    std::string requested;  // by the pod
    std::string over;       // what the budget would have to grow by before the pod passes

    static void Describe(auto& self, auto& fields) {
      fields.Always("group", self.group);
      fields.Always("key", self.key);
      fields.Always("used", self.used);
      fields.Always("hard", self.hard);
      fields.Always("requested", self.requested);
      fields.IfSet("over", self.over);
    }
    bool operator==(const Shortage&) const = default;
  };

  std::string pod;          // "default/web-0"
  std::string enforcement;  // as in QuotaTreeDocument
  std::string group, path;
  Models models;                       // that it names
  std::optional<int64_t> model_nodes;  // how many nodes are of them, if it names any and still wants a node
  std::string other_models;            // what nodes say instead, if none is
  std::string node;                    // where it holds capacity
  std::optional<Models> node_models;   // that it is charged to because the node is of them
  bool relabelled = false;             // its labels say something else than what it was bound with, which counts
  std::string since;                   // RFC 3339: when kubelet saw it, or it was reserved
  // "charged" (it holds capacity on `node`), "fits", "refused", and "ended", "noGroup" or "off" (nothing is enforced),
  // which have no keys.
  std::string verdict;
  std::string why;               // of "refused"
  std::string nearest_group;     // that was probably meant, where there is none of this name
  std::string refused_by_model;  // why nodes of some models are not for it; where all are refused that is `why`
  int64_t refused_nodes = 0;     // how many these are, of the models that it wants
  int64_t other_nodes = 0;       // and how many others, where there are any of these
  std::vector<Cost> keys;
  std::vector<Shortage> shortages;  // each key that refuses it, anywhere
  std::vector<Use> used_by;         // of each key that refuses it
  std::vector<NotHeardOf> not_heard_of;

  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("enforcement", self.enforcement);
    fields.Always("group", self.group);
    fields.Always("path", self.path);
    fields.Always("models", self.models);
    fields.IfSet("modelNodes", self.model_nodes);
    fields.IfSet("otherModels", self.other_models);
    fields.IfSet("node", self.node);
    fields.IfSet("nodeModels", self.node_models);
    fields.IfSet("relabelled", self.relabelled);
    fields.IfSet("since", self.since);
    fields.Always("verdict", self.verdict);
    fields.IfSet("why", self.why);
    fields.IfSet("nearestGroup", self.nearest_group);
    fields.IfSet("refusedByModel", self.refused_by_model);
    fields.IfSet("refusedNodes", self.refused_nodes);
    fields.IfSet("otherNodes", self.other_nodes);
    fields.Always("keys", self.keys);
    fields.IfSet("shortages", self.shortages);
    fields.IfSet("usedBy", self.used_by);
    fields.IfSet("notHeardOf", self.not_heard_of);
  }
  bool operator==(const PodQuotaDocument&) const = default;
};

}  // namespace huygens::admin_api
