// What /debug/usage says (docs/usage.md), and of use /debug/nodes/NAME, for the pages that fill it in and for whoever
// reads them; the lists of fields are the format (json/document.h). Amounts are Kubernetes quantities, shares are
// of the node's real allocatable. A text that is empty, and what else is not set, is not known or not said. Plain
// values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin_api/amounts.h"

namespace huygens::admin_api {

// One resource of one node.
struct ResourceUse {
  std::string state;  // "fresh", "stale", "absent"
  std::optional<int64_t> age_seconds;
  std::string capacity, ceiling;
  std::string now;   // while the figures are fresh
  std::string peak;  // what the check goes by: predicted use, where that is not fresh the estimates of the pods
  std::string measured_peak;  // where that is less: it leaves out what is estimated of young pods
  std::optional<double> now_share, peak_share;
  std::string headroom;  // what the ceiling leaves of `peak`, possibly below 0

  static void Describe(auto& self, auto& fields) {
    fields.Always("state", self.state);
    fields.IfSet("ageSeconds", self.age_seconds);
    fields.IfSet("capacity", self.capacity);
    fields.IfSet("ceiling", self.ceiling);
    fields.IfSet("now", self.now);
    fields.Always("peak", self.peak);
    fields.IfSet("measuredPeak", self.measured_peak);
    fields.IfSet("nowShare", self.now_share);
    fields.IfSet("peakShare", self.peak_share);
    fields.IfSet("headroom", self.headroom);
  }
  bool operator==(const ResourceUse&) const = default;
};

// The nodes that will be used most at their weekly peak, and how many more pods of a size they would take.
struct UsageTopDocument {
  struct Node {
    std::string name;
    std::optional<int64_t> fits;  // how many more pods of the size asked about (placement/pod_headroom.h)
    Amounts unrequested;          // allocatable less requests, of cpu and memory
    std::vector<std::pair<std::string, ResourceUse>> usage;  // by resource

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.IfSet("fits", self.fits);
      fields.Always("unrequested", self.unrequested);
      fields.Always("usage", self.usage);
    }
    bool operator==(const Node&) const = default;
  };

  std::string by;     // the resource that they are sorted by
  std::string check;  // "on", "off", "stepsAside", "reportsOnly"
  double stale_share = 0;
  int64_t nodes = 0;
  std::optional<int64_t> fits;  // on all nodes together
  std::vector<Node> top;        // by peak share, highest first, then by name

  static void Describe(auto& self, auto& fields) {
    fields.Always("by", self.by);
    fields.Always("check", self.check);
    fields.Always("staleShare", self.stale_share);
    fields.Always("nodes", self.nodes);
    fields.IfSet("fits", self.fits);
    fields.Always("top", self.top);
  }
  bool operator==(const UsageTopDocument&) const = default;
};

// The use of one node over the week.
struct WeekOfUse {
  struct Pod {
    std::string pod;       // NAMESPACE/NAME
    std::string workload;  // whose history it has
    std::string peak;
    bool measured = false;  // false: an estimate from requests and limits

    static void Describe(auto& self, auto& fields) {
      fields.Always("pod", self.pod);
      fields.Always("workload", self.workload);
      fields.Always("peak", self.peak);
      fields.Always("measured", self.measured);
    }
    bool operator==(const Pod&) const = default;
  };
  struct Resource : ResourceUse {
    std::string resource;
    std::string sum_of_peaks, peak_of_sum;
    std::string peak_slot;  // when that slot was last, UTC: "Wed 14:15"
    std::string system, reserved, estimates;
    std::vector<Pod> pods;  // highest peak first
    // Milli-cores, bytes or units of each slot of the window, at position floor(Unix time / slotSeconds) mod length.
    std::vector<int64_t> curve;

    static void Describe(auto& self, auto& fields) {
      fields.Always("resource", self.resource);
      ResourceUse::Describe(self, fields);
      fields.Always("sumOfPeaks", self.sum_of_peaks);
      fields.Always("peakOfSum", self.peak_of_sum);
      fields.Always("peakSlot", self.peak_slot);
      fields.Always("system", self.system);
      fields.IfSet("reserved", self.reserved);
      fields.Always("estimates", self.estimates);
      fields.Always("pods", self.pods);
      fields.Always("curve", self.curve);
    }
    bool operator==(const Resource&) const = default;
  };

  int64_t slot_seconds = 0;
  std::vector<Resource> resources;

  static void Describe(auto& self, auto& fields) {
    fields.Always("slotSeconds", self.slot_seconds);
    fields.Always("resources", self.resources);
  }
  bool operator==(const WeekOfUse&) const = default;
};

}  // namespace huygens::admin_api
