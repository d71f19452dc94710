// Who runs where on one node: from its CPUs, its pods and what they had before. Pure; any thread.
//
// * A pod owns CPUs as a whole, as many of each zone as its topology-result says, from the moment in which the first of
//   its containers asks for any until the pod is gone; its containers with whole CPUs divide them. So a container that
//   crashes comes back to the CPUs that it had, and a pod can always be completed.
// * What somebody had stays, also where its CPUs have become reserved or went offline: that is a conflict to tell of, no
//   reason to move who runs. Only CPUs of exclusive pods without huygens.dev/smt are moved, within their zone, and only
//   where whole cores (or different ones) are needed that huygens promised (docs/topology.md).
// * Everybody else runs on the shared CPUs: all that no exclusive pod has. A pod that would take the last of these, or the
//   last CPU under a numa pod, gets none, and `why` says so.
// * The same facts give the same answer; a pod that comes and goes leaves all as it was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pinning/node_cpus.h"
#include "pinning/pod_ask.h"

namespace huygens::pinning {

struct LiveContainer {
  std::string id;
  std::string name;
  int cpus = 0;  // WholeCpus; 0: takes no part
};

struct LivePod {
  std::string uid;
  std::string name;  // "namespace/name", for people
  PodAsk ask;
  std::vector<LiveContainer> containers;  // in the order in which they appeared; those that have ended are left out
};

using ContainerSets = std::map<std::string, CpuSet, std::less<>>;  // by name of the container

struct PodCpus {
  CpuSet own;   // its containers' together, and what they have not asked for yet
  CpuSet idle;  // the rest of an isolating pod's cores
  ContainerSets containers;
  std::string why;  // it owns nothing although it asks for CPUs, or not all; for people
};
using PodSets = std::map<std::string, PodCpus, std::less<>>;  // by UID

// What is known of pods from before: from the last answer, or, after a start, what each container had. Of those, `own`
// is the sum.
PodCpus Had(ContainerSets containers);

struct Assignment {
  PodSets pods;                        // those that own CPUs or fail to
  CpuSet shared;                       // never empty
  CpuSet exclusive;                    // taken out of it: of exclusive pods, idle ones among them
  std::vector<std::string> conflicts;  // for people: CPUs that somebody has and that are reserved or offline now
  std::vector<std::string> moved;      // UIDs of pods that had to make room for another
};

// Of `pods` each UID once. What other pods had is forgotten.
Assignment Assign(const NodeCpus& node, const std::vector<LivePod>& pods, const PodSets& before);

struct Place {
  Pool pool = Pool::kShared;  // what it got, not what it asked for
  CpuSet cpus;                // online, never empty
  machine::Ids mems;          // memory nodes; empty: all, not to be set
  std::string why;            // it does not have what its pod asks for; for people
};
Place PlaceOf(const NodeCpus& node, const Assignment& assignment, const LivePod& pod, const LiveContainer& container);

}  // namespace huygens::pinning
