// Pods that were resized in place and ask more than the zones that they keep can give: for the watch that tells of them
// and for the pages that show them. A pod that grew is named only where a zone of its own has given away more, of what
// it asks more of, than there is: room beside it may have taken its growth. Decision thread only, but for what has no
// Placement.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admin_api/pod_document.h"
#include "placement/placement.h"

namespace huygens::admin {

struct OutgrownPod {
  std::shared_ptr<const cluster::Pod> pod;
  ResourceVector bound, asks;  // with what it was bound and what it asks now, of what it asks more of
  std::vector<placement::ZoneDescription> zones;  // of its own, those that are over-used
};

// By UID, so that nobody sees the order of a hash map.
std::vector<OutgrownPod> OutgrownOn(const placement::Placement& placement, cluster::NodeIndex node, Time now);

admin_api::PodDocument::Outgrown DocumentOf(const OutgrownPod& pod, const ResourceNames& resources);

// The notice of a node; empty where there is no such pod.
std::string OutgrownNotice(const std::vector<OutgrownPod>& pods, const ResourceNames& resources);

}  // namespace huygens::admin
