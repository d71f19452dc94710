// NRI's messages as values of runtime/container_runtime.h, and back. Pure.
#pragma once

#include <memory>

#include "runtime/container_runtime.h"
#include "runtime/nri.pb.h"

namespace huygens::runtime {

Pod PodOf(const ::nri::pkg::api::v1alpha1::PodSandbox& sandbox);
Resources ResourcesOf(const ::nri::pkg::api::v1alpha1::LinuxResources& resources);
Container ContainerOf(const ::nri::pkg::api::v1alpha1::Container& container, std::shared_ptr<const Pod> pod);

// Both sets, or the one that is not empty.
void SetCpuset(const Cpuset& cpuset, ::nri::pkg::api::v1alpha1::LinuxResources& out);

}  // namespace huygens::runtime
