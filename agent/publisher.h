// The part that keeps this node's topology object, and on nodes whose kubelet pins the annotation
// huygens.dev/kubelet-placement of its pods. It writes where something has changed, and nothing otherwise; an object
// that somebody else changed or deleted is put right at the next look, some minutes later.
#pragma once

#include <memory>

#include "agent/part.h"

namespace huygens::agent {

std::unique_ptr<Part> MakePublisher(const PartContext& context);

}  // namespace huygens::agent
