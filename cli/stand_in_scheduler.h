// A small stand-in for kube-scheduler: for each pod, node fit by requests, then the extender's filter, prioritize and
// bind over HTTP, as kube-scheduler sends them. It knows the nodes from /debug/nodes, once at the start, and charges
// what it places itself. One thread; blocking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin_api/node_document.h"
#include "base/resource.h"
#include "cli/pods_file.h"
#include "cli/remote.h"

namespace huygens::cli {

struct PodOutcome {
  std::string pod;  // namespace/name
  std::string uid;
  std::string node;                         // empty: none
  std::vector<admin_api::ZoneShare> zones;  // of the node; empty: no result
  std::optional<int64_t> score;             // of the node
  bool placed_before = false;               // it was on the node when the scheduler started: nobody was asked
  std::vector<std::pair<std::string, std::string>>
      refusals;  // (node, reason), node fit's first; a node may have several
  size_t node_count = 0;
  std::map<std::string, std::string>
      figures;                              // by node, of those that filter refused for their zones: PodDocument's why
  std::string quota;                        // why its business group refuses it; may be empty
  std::vector<std::string> not_understood;  // as in PodManifest
  std::string error;                        // of a verb, as it answered: not a decision about the pod, but a fault
};

// "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had insufficient resource of NUMA node.", as kube-scheduler's
// event says it, of a pod that was not placed; with what sets reasons of one text apart, and the figures of a node.
std::string WhyNot(const PodOutcome& outcome);

class StandInScheduler {
 public:
  // `verbs` and `admin` must outlive it.
  StandInScheduler(Remote& verbs, Remote& admin, ResourceNames& names) : verbs_(verbs), admin_(admin), names_(names) {}

  // Reads the nodes, and who is on them already.
  Status Start();
  // Errors: the server cannot be reached, or answers what is no answer. A pod that fits nowhere is an outcome.
  StatusOr<PodOutcome> Place(const PodManifest& pod);

  size_t node_count() const { return nodes_.size(); }

 private:
  StatusOr<admin_api::NodeDocument> Describe(const std::string& node);
  std::vector<std::string> FitByRequests(const PodManifest& pod, const ResourceVector& requests,
                                         PodOutcome& outcome) const;
  Status Filter(const PodManifest& pod, std::vector<std::string>& nodes, PodOutcome& outcome);
  void AskWhy(const PodManifest& pod, PodOutcome& outcome);
  Status AskQuota(const PodManifest& pod, PodOutcome& outcome);
  Status Prioritize(const PodManifest& pod, const std::vector<std::string>& nodes, std::string& best,
                    PodOutcome& outcome);
  Status Bind(const PodManifest& pod, const std::string& node, PodOutcome& outcome);

  Remote& verbs_;
  Remote& admin_;
  ResourceNames& names_;
  struct Node {
    ResourceVector allocatable;
    ResourceVector requested;  // by the pods on it, pod slots included
  };
  std::map<std::string, Node> nodes_;
  struct Placed {
    std::string node;
    std::vector<admin_api::ZoneShare> zones;
  };
  std::map<std::string, Placed> placed_;  // by UID, at the start
};

}  // namespace huygens::cli
