#include "machine/machine.h"

#include "machine/read_parts.h"
#include "machine/system_files.h"

namespace huygens::machine {

StatusOr<Machine> ReadMachine(const std::string& root) {
  const SystemFiles files(root);
  Machine machine;
  HUYGENS_RETURN_IF_ERROR(ReadCpus(files, machine));
  HUYGENS_RETURN_IF_ERROR(ReadCores(files, machine));
  // Nothing but drawings and preferences go by caches: a machine is of use without them.
  if (const Status status = ReadCaches(files, machine); !status.ok()) {
    machine.caches.clear();
    machine.notices.push_back(Concat("no caches: ", Message(status)));
  }
  HUYGENS_RETURN_IF_ERROR(ReadZones(files, machine));
  return machine;
}

}  // namespace huygens::machine
