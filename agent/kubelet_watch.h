// The part that asks the kubelet of this node: how it runs, its pods, and, where it pins, its state files. At start,
// every kubelet.interval, and as soon as inotify shows that something may have changed: a new socket is a new kubelet,
// a new state file is a pod admitted or gone. What kubelet has said is what counts, never the event.
#pragma once

#include <memory>

#include "agent/part.h"

namespace huygens::agent {

std::unique_ptr<Part> MakeKubeletWatch(const PartContext& context);

}  // namespace huygens::agent
