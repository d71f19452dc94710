// `huygens-agent doctor`: why containers are or are not on CPUs of their own, and what to do. Pure: the facts come in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "pinner/state_store.h"
#include "runtime/container_runtime.h"

namespace huygens::agent {

struct ContainerFacts {
  runtime::Container container;
  StatusOr<runtime::Cpuset> kernel;  // of one that runs
};

struct PinFacts {
  std::string pod;        // whom it is asked about, "namespace/name" or "name"; empty: all
  std::string node_name;  // empty: not known
  machine::Machine machine;
  std::optional<std::string> kubelet_policy;  // of its CPU manager, from its state file; nothing: there is none
  std::string runtime_socket, nri_socket;     // nri_socket empty: not to be used
  bool nri_there = false;                     // something is at nri_socket
  StatusOr<pinner::KeptState> state;
  std::string state_file;
  StatusOr<std::vector<ContainerFacts>> containers;
};

struct PinDiagnosis {
  std::string text;
  bool well = true;  // nothing keeps anybody from CPUs that he should have
};
PinDiagnosis Diagnose(const PinFacts& facts);

}  // namespace huygens::agent
