#include "runtime/nri_values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace huygens::runtime {

namespace nri = ::nri::pkg::api::v1alpha1;

namespace {

// kubelet's, on containers.
constexpr std::string_view kRestarts = "io.kubernetes.container.restartCount";

ContainerState StateOf(nri::ContainerState state) {
  switch (state) {
    case nri::CONTAINER_CREATED:
      return ContainerState::kCreated;
    case nri::CONTAINER_RUNNING:
    case nri::CONTAINER_PAUSED:
      return ContainerState::kRunning;
    case nri::CONTAINER_STOPPED:
      return ContainerState::kExited;
    default:
      return ContainerState::kUnknown;
  }
}

int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

}  // namespace

Pod PodOf(const nri::PodSandbox& sandbox) {
  return {.sandbox_id = sandbox.id(),
          .uid = sandbox.uid(),
          .namespace_name = sandbox.namespace_(),
          .name = sandbox.name(),
          .labels = Texts(sandbox.labels().begin(), sandbox.labels().end()),
          .annotations = Texts(sandbox.annotations().begin(), sandbox.annotations().end())};
}

Resources ResourcesOf(const nri::LinuxResources& resources) {
  const nri::LinuxCPU& cpu = resources.cpu();
  Resources out{.cpuset = {.cpus = cpu.cpus(), .mems = cpu.mems()}};
  if (cpu.has_quota()) out.cpu_quota = cpu.quota().value();
  if (cpu.has_period()) out.cpu_period = Signed(cpu.period().value());
  if (cpu.has_shares()) out.cpu_shares = Signed(cpu.shares().value());
  if (resources.memory().has_limit()) out.memory = resources.memory().limit().value();
  return out;
}

Container ContainerOf(const nri::Container& container, std::shared_ptr<const Pod> pod) {
  Container out{.id = container.id(),
                .name = container.name(),
                .pod = std::move(pod),
                .state = StateOf(container.state()),
                .resources = ResourcesOf(container.linux().resources())};
  if (const auto found = container.annotations().find(std::string(kRestarts)); found != container.annotations().end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), out.restart_count);
  }
  return out;
}

void SetCpuset(const Cpuset& cpuset, nri::LinuxResources& out) {
  if (!cpuset.cpus.empty()) out.mutable_cpu()->set_cpus(cpuset.cpus);
  if (!cpuset.mems.empty()) out.mutable_cpu()->set_mems(cpuset.mems);
}

}  // namespace huygens::runtime
