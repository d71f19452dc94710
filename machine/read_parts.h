// The parts of ReadMachine, in the order that they need each other. For machine/machine.cc only.
#pragma once

#include "machine/machine.h"
#include "machine/system_files.h"

namespace huygens::machine {

// present, online, isolated.
Status ReadCpus(const SystemFiles& files, Machine& machine);
// cores and packages, of the CPUs online.
Status ReadCores(const SystemFiles& files, Machine& machine);
// caches, of the CPUs online.
Status ReadCaches(const SystemFiles& files, Machine& machine);
// zones and without_zone.
Status ReadZones(const SystemFiles& files, Machine& machine);

}  // namespace huygens::machine
