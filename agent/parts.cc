#include "agent/parts.h"

#include "agent/devices.h"
#include "agent/kubelet_watch.h"
#include "agent/machine_watch.h"
#include "agent/pins.h"
#include "agent/publisher.h"

namespace huygens::agent {

std::vector<std::unique_ptr<Part>> MakeParts(const PartContext& context) {
  std::vector<std::unique_ptr<Part>> parts;
  parts.push_back(MakeMachineWatch(context));
  parts.push_back(MakeKubeletWatch(context));
  if (context.configuration.publish.enabled) parts.push_back(MakePublisher(context));
  if (context.configuration.pin.enabled) parts.push_back(MakePins(context));
  parts.push_back(MakeDevices(context));
  return parts;
}

}  // namespace huygens::agent
