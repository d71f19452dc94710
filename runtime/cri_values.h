// CRI's messages as values of runtime/container_runtime.h. Pure.
#pragma once

#include "runtime/container_runtime.h"
#include "runtime/cri.pb.h"

namespace huygens::runtime {

Pod PodOf(const ::runtime::v1::PodSandbox& sandbox);
Pod PodOf(const ::runtime::v1::PodSandboxStatus& sandbox);

// Without resources and pod.
Container ContainerOf(const ::runtime::v1::Container& container);
// Without pod; resources as far as the runtime tells them.
Container ContainerOf(const ::runtime::v1::ContainerStatus& status);

}  // namespace huygens::runtime
