// The CPUs of a machine as kubelet's CPU manager has them: each in one zone, socket and core, by kubelet's own grouping.
// Pure; any thread. Source: kubernetes, pkg/kubelet/cm/cpumanager/topology, Discover.
#pragma once

#include <map>
#include <vector>

#include "kubelet_api/configz.h"
#include "kubelet_api/kubelet_machine.h"
#include "machine/id_list.h"
#include "topology/cpus.h"

namespace huygens::publish {

struct KubeletCpu {
  int zone = 0;  // id
  int core = 0;  // its lowest CPU
  int64_t package = 0;
  friend bool operator==(const KubeletCpu&, const KubeletCpu&) = default;
};

// By CPU. One that several zones list is where kubelet found it last, as for kubelet.
std::map<int, KubeletCpu> KubeletCpus(const kubelet_api::KubeletMachine& machine);

// Of what kubelet's configuration names: what kubelet/ reads of it when it assigns CPUs.
bool Has(const kubelet_api::Options& options, std::string_view name);

}  // namespace huygens::publish
