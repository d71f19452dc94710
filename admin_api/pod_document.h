// What /debug/pods/NAMESPACE/NAME says, for the page that fills it in and for whoever reads it: what every node would
// say of one pod now, with figures, or why the pod has no zones. The lists of fields are the format
// (json/document.h). Amounts are Kubernetes quantities. A text that is empty, and what else is not set, is not
// known or not said. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin_api/node_document.h"
#include "admin_api/not_heard_of.h"

namespace huygens::admin_api {

struct PodDocument {
  // A zone that would hold the pod if it gave what it claims, but for real capacity that is out of date.
  struct StaleZone {
    std::string zone;
    std::string last;  // that figure of cpu; empty: there is none
    std::string must;  // how much it must be now for the pod to fit

    static void Describe(auto& self, auto& fields) {
      fields.Always("zone", self.zone);
      fields.IfSet("last", self.last);
      fields.Always("must", self.must);
    }
    bool operator==(const StaleZone&) const = default;
  };
  // What zones lack for the pod. `free`, and `of` (what there is when no pod is there), name what is needed.
  struct Figures {
    Amounts needs;
    bool one_zone = false;  // all of it in one zone; else in all zones together
    std::string container;  // that was refused, where kubelet pins by container
    std::string zone;       // the one that comes nearest; empty: all together
    Amounts free, of;
    std::string freest;  // where it is another than `zone`: the zone that has most free, and how much
    Amounts most_free;
    std::vector<StaleZone> stale_zones;
    std::optional<int64_t> core_threads;  // of kubelet's whole cores, of which what is needed makes none
    std::string unaccounted;  // where kubelet pins: CPUs that the object says are taken, and no pod known there holds

    static void Describe(auto& self, auto& fields) {
      fields.Always("needs", self.needs);
      fields.Always("oneZone", self.one_zone);
      fields.IfSet("container", self.container);
      fields.IfSet("zone", self.zone);
      fields.Always("free", self.free);
      fields.Always("of", self.of);
      fields.IfSet("freest", self.freest);
      fields.IfSet("mostFree", self.most_free);
      fields.IfSet("staleZones", self.stale_zones);
      fields.IfSet("coreThreads", self.core_threads);
      fields.IfSet("unaccounted", self.unaccounted);
    }
    bool operator==(const Figures&) const = default;
  };
  // Why a ceiling of use refuses it.
  struct Ceiling {
    std::string resource, needs;
    std::string fits;       // what a pod could use of it now, beside the others
    std::string requests;   // and request, and be limited to, where nothing of its kind is measured yet
    bool has_pods = false;  // somebody's pod is there that could go

    static void Describe(auto& self, auto& fields) {
      fields.Always("resource", self.resource);
      fields.Always("needs", self.needs);
      fields.Always("fits", self.fits);
      fields.IfSet("requests", self.requests);
      fields.IfSet("hasPods", self.has_pods);
    }
    bool operator==(const Ceiling&) const = default;
  };
  struct Node {
    std::string name;
    std::string reason;  // as in /debug/decisions
    std::string cause;   // the label of the metrics
    std::string why;     // with figures
    std::optional<Figures> figures;
    std::optional<int64_t> loss_left_seconds, loss_grace_seconds;  // as in NodeDocument
    bool never_fits = false;                                       // whoever leaves it
    // Its zones would hold it, were it allowed several: now, and once nobody is there.
    bool fits_across = false, holds_across = false;
    // What the pod requests, and what of it nobody has requested there, of each resource of which that is too little:
    // kube-scheduler itself rules the node out now.
    Amounts asks, unrequested;
    bool no_pod_fits = false;        // what runs beside the pods is above the ceiling of use by itself
    std::optional<Ceiling> ceiling;  // of use, where that is the reason
    std::optional<Ceiling> beside;   // likewise, where zones are, and it would refuse the pod, too
    // Annotations but for which a node without a topology object would take the pod, without zones; or where kubelet
    // pins, without cores of its own.
    std::string insists;
    bool gave_up_topology = false;  // its topology object was deleted, and did not come back in time
    bool demands_topology =
        false;                    // it has no topology object, and no pod goes without (topology.nodesWithoutTopology)
    bool gives_no_cores = false;  // kubelet pins there: it never gives what huygens.dev/smt asks for
    std::string ignored;          // settings of its kubelet that nobody understands, where the reason depends on them

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("reason", self.reason);
      fields.Always("cause", self.cause);
      fields.IfSet("why", self.why);
      fields.IfSet("figures", self.figures);
      fields.IfSet("lossLeftSeconds", self.loss_left_seconds);
      fields.IfSet("lossGraceSeconds", self.loss_grace_seconds);
      fields.IfSet("neverFits", self.never_fits);
      fields.IfSet("fitsAcross", self.fits_across);
      fields.IfSet("holdsAcross", self.holds_across);
      fields.IfSet("asks", self.asks);
      fields.IfSet("unrequested", self.unrequested);
      fields.IfSet("noPodFits", self.no_pod_fits);
      fields.IfSet("ceiling", self.ceiling);
      fields.IfSet("beside", self.beside);
      fields.IfSet("insists", self.insists);
      fields.IfSet("gaveUpTopology", self.gave_up_topology);
      fields.IfSet("demandsTopology", self.demands_topology);
      fields.IfSet("givesNoCores", self.gives_no_cores);
      fields.IfSet("ignored", self.ignored);
    }
    bool operator==(const Node&) const = default;
  };

  // Of a pod that was resized in place and asks more than the zones that it keeps can give. Only what it asks more of.
  struct Outgrown {
    struct Zone {
      std::string name;
      Amounts effective, used;  // what it can really give, and what of that pods hold

      static void Describe(auto& self, auto& fields) {
        fields.Always("name", self.name);
        fields.Always("effective", self.effective);
        fields.Always("used", self.used);
      }
      bool operator==(const Zone&) const = default;
    };
    Amounts bound, asks;      // with what it was bound, and what it asks now
    std::vector<Zone> zones;  // of its own, those that are over-used

    static void Describe(auto& self, auto& fields) {
      fields.Always("bound", self.bound);
      fields.Always("asks", self.asks);
      fields.Always("zones", self.zones);
    }
    bool operator==(const Outgrown&) const = default;
  };

  // What the requests of others leave of a node that would take the pod but for them; only what is too little.
  struct Room {
    std::string name;
    Amounts asks, unrequested;

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("asks", self.asks);
      fields.Always("unrequested", self.unrequested);
    }
    bool operator==(const Room&) const = default;
  };

  std::string pod, uid;
  std::string node;                         // where it holds capacity
  std::string reservation;                  // "reserved", "assumed", "held" for a gang; else it is bound there
  std::string since;                        // RFC 3339: when kubelet saw it
  std::vector<ZoneShare> zones;             // of that node, with what it was bound
  std::string no_zones;                     // the one cause; else it asks for zones, or has some
  std::string node_selector;                // "disk=ssd, zone=a", of one that has no node
  std::vector<std::string> not_selected;    // nodes that are not of it; nothing else is said of them
  std::string gang;                         // spec.schedulingGroup
  std::vector<std::string> gang_waits;      // pods of it that have no node, the first few; itself among them
  int64_t gang_waits_more = 0;              // and how many besides
  std::string gang_refused;                 // another pod of it, for which filter found no node when it was last asked
  Amounts gang_needs;                       // what all of these request together
  std::vector<std::string> not_understood;  // of its annotations
  std::vector<NotHeardOf> not_heard_of;
  std::optional<Outgrown> outgrown;  // it no longer fits its zones
  std::vector<Node> nodes;           // that would not take it; none where it is placed
  // Nodes that would take it now, by what huygens looks at and by requests; and that would but for the requests of
  // others.
  std::vector<std::string> fits, fits_later;
  std::vector<Room> room;  // of the first few of the latter
  Amounts gang_room;       // what of gang_needs nobody has requested, of all nodes together that are not ruled out
  int64_t too_small = 0;   // how many more would, were they not too small for its requests whoever leaves them

  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("uid", self.uid);
    fields.IfSet("node", self.node);
    fields.IfSet("reservation", self.reservation);
    fields.IfSet("since", self.since);
    fields.IfSet("zones", self.zones);
    fields.IfSet("noZones", self.no_zones);
    fields.IfSet("nodeSelector", self.node_selector);
    fields.IfSet("gang", self.gang);
    fields.IfSet("gangWaits", self.gang_waits);
    fields.IfSet("gangWaitsMore", self.gang_waits_more);
    fields.IfSet("gangRefused", self.gang_refused);
    fields.IfSet("gangNeeds", self.gang_needs);
    fields.IfSet("notUnderstood", self.not_understood);
    fields.IfSet("notHeardOf", self.not_heard_of);
    fields.IfSet("outgrown", self.outgrown);
    fields.Always("nodes", self.nodes);
    fields.IfSet("fits", self.fits);
    fields.IfSet("fitsLater", self.fits_later);
    fields.IfSet("notSelected", self.not_selected);
    fields.IfSet("room", self.room);
    fields.IfSet("gangRoom", self.gang_room);
    fields.IfSet("tooSmall", self.too_small);
  }
  bool operator==(const PodDocument&) const = default;
};

}  // namespace huygens::admin_api
