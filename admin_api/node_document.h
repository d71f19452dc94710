// What /debug/nodes and /debug/nodes/NAME say, for the pages that fill it in and for whoever reads them; the lists of
// fields are the format (json/document.h). Amounts are Kubernetes quantities ("31", "500m", "4Gi"). A text that is
// empty, and what else is not set, is not known or not said. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin_api/not_heard_of.h"
#include "admin_api/usage_document.h"

namespace huygens::admin_api {

struct NodeHead {
  std::string name;
  bool known = false;  // there is a Node object; else only pods or a topology object name it
  std::string mode;    // "managed", "kubelet", "unusable", "none"
  Amounts allocatable;
  Amounts requested;  // by the pods that hold capacity there, pod slots included

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("known", self.known);
    fields.Always("mode", self.mode);
    fields.Always("allocatable", self.allocatable);
    fields.Always("requested", self.requested);
  }
  bool operator==(const NodeHead&) const = default;
};

// What node fit by requests needs to know of every node.
struct NodeListDocument {
  struct Node : NodeHead {
    int64_t pods = 0;  // how many there are on it

    static void Describe(auto& self, auto& fields) {
      NodeHead::Describe(self, fields);
      fields.Always("pods", self.pods);
    }
    bool operator==(const Node&) const = default;
  };

  std::vector<Node> nodes;

  static void Describe(auto& self, auto& fields) { fields.Always("nodes", self.nodes); }
  bool operator==(const NodeListDocument&) const = default;
};

// What a pod holds of a zone.
struct ZoneShare {
  std::string name;
  int64_t zone = -1;
  Amounts amount;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("zone", self.zone);
    fields.Always("amount", self.amount);
  }
  bool operator==(const ZoneShare&) const = default;
};

// The zones of a node and who holds them, and its use.
struct NodeDocument : NodeHead {
  // What is assumed of the node's kubelet.
  struct Setting {
    std::string name, value;
    std::string from;  // "object", "label", "configuration"

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("value", self.value);
      fields.Always("from", self.from);
    }
    bool operator==(const Setting&) const = default;
  };
  struct Zone {
    std::string name;
    int64_t zone = -1;
    bool absent = false;          // the object names it no more, pods hold of it
    bool stale = false;           // its real capacity is out of date
    std::string offline_cpu;      // its real capacity, where somebody says it
    std::string offline_updated;  // RFC 3339: when that was said
    Amounts allocatable;
    std::optional<Amounts> available;        // where kubelet pins: what the object says, instead of the next two
    std::optional<Amounts> effective, used;  // what it can really give, and what of that pods hold
    Amounts free;
    std::optional<int64_t> cores, whole_cores;  // full physical cores, and those that nobody uses

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("zone", self.zone);
      fields.IfSet("absent", self.absent);
      fields.IfSet("stale", self.stale);
      fields.IfSet("offlineCpu", self.offline_cpu);
      fields.IfSet("offlineUpdated", self.offline_updated);
      fields.Always("allocatable", self.allocatable);
      fields.IfSet("available", self.available);
      fields.IfSet("effective", self.effective);
      fields.IfSet("used", self.used);
      fields.Always("free", self.free);
      fields.IfSet("cores", self.cores);
      fields.IfSet("wholeCores", self.whole_cores);
    }
    bool operator==(const Zone&) const = default;
  };
  struct Pod {
    std::string pod, uid;
    std::string reservation;  // "reserved", "assumed", "held" for a gang; else it is bound
    // Where kubelet pins and the pod takes anything for itself: "published" (the object contains it), "observed" or
    // "predicted" (these zones are charged), "everyZone" (nobody knows its zones).
    std::string counted;
    std::vector<ZoneShare> zones;
    Amounts requests;  // as kube-scheduler counts them, without its pod slot

    static void Describe(auto& self, auto& fields) {
      fields.Always("pod", self.pod);
      fields.Always("uid", self.uid);
      fields.IfSet("reservation", self.reservation);
      fields.IfSet("counted", self.counted);
      fields.IfSet("requests", self.requests);
      fields.Always("zones", self.zones);
    }
    bool operator==(const Pod&) const = default;
  };

  bool single_numa = false;
  bool lost_topology = false;
  // How much longer what a lost topology object last said holds, of topology.lossGrace.
  std::optional<int64_t> loss_left_seconds, loss_grace_seconds;
  std::string defect;            // of the topology object
  std::string topology_written;  // RFC 3339: when its zones were
  // Values that count as absent since nobody understands them, a topology object that did not come back, pods that
  // outgrew their zones.
  std::vector<std::string> notices;
  std::vector<NotHeardOf> not_heard_of;
  std::vector<Setting> kubelet;  // none where it is not predicted
  std::vector<Zone> zones;
  std::vector<Pod> pods;
  std::optional<WeekOfUse> usage;  // where somebody looks at it
  std::string no_usage;            // why nobody does

  static void Describe(auto& self, auto& fields) {
    NodeHead::Describe(self, fields);
    fields.IfSet("singleNuma", self.single_numa);
    fields.IfSet("lostTopology", self.lost_topology);
    fields.IfSet("lossLeftSeconds", self.loss_left_seconds);
    fields.IfSet("lossGraceSeconds", self.loss_grace_seconds);
    fields.IfSet("defect", self.defect);
    fields.IfSet("topologyWritten", self.topology_written);
    fields.IfSet("notices", self.notices);
    fields.IfSet("notHeardOf", self.not_heard_of);
    fields.IfSet("kubelet", self.kubelet);
    fields.Always("zones", self.zones);
    fields.Always("pods", self.pods);
    fields.IfSet("usage", self.usage);
    fields.IfSet("noUsage", self.no_usage);
  }
  bool operator==(const NodeDocument&) const = default;
};

}  // namespace huygens::admin_api
