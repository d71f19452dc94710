#include "runtime/cri_values.h"

#include <charconv>
#include <optional>

namespace huygens::runtime {

namespace v1 = ::runtime::v1;

namespace {

// kubelet's, on containers.
constexpr std::string_view kRestartCount = "io.kubernetes.container.restartCount";

template <typename Map>
Texts TextsOf(const Map& map) {
  return Texts(map.begin(), map.end());
}

template <typename Sandbox>
Pod PodOfEither(const Sandbox& sandbox) {
  return {.sandbox_id = sandbox.id(),
          .uid = sandbox.metadata().uid(),
          .namespace_name = sandbox.metadata().namespace_(),
          .name = sandbox.metadata().name(),
          .labels = TextsOf(sandbox.labels()),
          .annotations = TextsOf(sandbox.annotations()),
          .ready = sandbox.state() == v1::SANDBOX_READY};
}

ContainerState StateOf(v1::ContainerState state) {
  switch (state) {
    case v1::CONTAINER_CREATED:
      return ContainerState::kCreated;
    case v1::CONTAINER_RUNNING:
      return ContainerState::kRunning;
    case v1::CONTAINER_EXITED:
      return ContainerState::kExited;
    default:
      return ContainerState::kUnknown;
  }
}

// CRI has no other way to say "unset" than 0.
std::optional<int64_t> Set(int64_t value) { return value == 0 ? std::nullopt : std::optional(value); }

template <typename Either>
Container ContainerOfEither(const Either& from) {
  Container container{.id = from.id(),
                      .name = from.metadata().name(),
                      .restart_count = from.metadata().attempt(),
                      .state = StateOf(from.state())};
  if (const auto found = from.annotations().find(std::string(kRestartCount)); found != from.annotations().end()) {
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), container.restart_count);
  }
  return container;
}

}  // namespace

Pod PodOf(const v1::PodSandbox& sandbox) { return PodOfEither(sandbox); }
Pod PodOf(const v1::PodSandboxStatus& sandbox) { return PodOfEither(sandbox); }

Container ContainerOf(const v1::Container& container) { return ContainerOfEither(container); }

Container ContainerOf(const v1::ContainerStatus& status) {
  Container container = ContainerOfEither(status);
  const v1::LinuxContainerResources& linux = status.resources().linux();
  container.resources = {.cpuset = {.cpus = linux.cpuset_cpus(), .mems = linux.cpuset_mems()},
                         .cpu_quota = Set(linux.cpu_quota()),
                         .cpu_period = Set(linux.cpu_period()),
                         .cpu_shares = Set(linux.cpu_shares()),
                         .memory = Set(linux.memory_limit_in_bytes())};
  return container;
}

}  // namespace huygens::runtime
