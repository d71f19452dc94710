#include "agent/parts.h"

#include "agent/machine_watch.h"

namespace huygens::agent {

std::vector<std::unique_ptr<Part>> MakeParts(const PartContext& context) {
  std::vector<std::unique_ptr<Part>> parts;
  parts.push_back(MakeMachineWatch(context));
  return parts;
}

}  // namespace huygens::agent
