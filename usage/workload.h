// Whose history a pod continues: history belongs to the workload, so that a replaced pod inherits it. A pure function
// of names, so that a series in Prometheus and a Pod in the API server come to the same text:
//
//   StatefulSet           NAMESPACE/StatefulSet/POD           each ordinal has its own
//   DaemonSet NAME        NAMESPACE/DaemonSet/NAME on NODE    each node has its own: they differ most of all
//   ReplicaSet NAME-HASH  NAMESPACE/Deployment/NAME           HASH: as the Deployment controller makes it
//   Job NAME-MINUTES      NAMESPACE/CronJob/NAME              MINUTES: eight digits or more, as the CronJob controller
//                                                             adds
//   any other owner       NAMESPACE/KIND/NAME
//   no owner, or a Node   NAMESPACE/Pod/POD                   a Node owns the static pods of its kubelet
#pragma once

#include <string>
#include <string_view>

#include "cluster/objects.h"

namespace huygens::usage {

// Empty `owner_kind`: no owner. Empty `node`: on none yet, which only a pod of a DaemonSet makes a difference to: it
// has no history then.
std::string WorkloadOf(std::string_view namespace_name, std::string_view pod_name, std::string_view owner_kind,
                       std::string_view owner_name, std::string_view node);
// `node` where the pod names none itself: it is reserved there.
std::string WorkloadOf(const cluster::Pod& pod, std::string_view node = {});

// For series that name no owner: what the pod's name says of it. Right for Deployments ("web-7d4b9c6f5-x2x4z"),
// CronJobs ("backup-29123456-x2x4z"), StatefulSets ("db-0"), most DaemonSets ("proxy-x2x4z") and bare pods, a guess
// else.
std::string GuessWorkload(std::string_view namespace_name, std::string_view pod_name, std::string_view node);

}  // namespace huygens::usage
