#include "runtime/cri_runtime.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/steady_now.h"
#include "runtime/container_info.h"
#include "runtime/cri_client.h"
#include "runtime/cri_values.h"

namespace huygens::runtime {

namespace v1 = ::runtime::v1;

namespace {

// In-place resizes are not told by every runtime.
constexpr Duration kResourcesFor = std::chrono::minutes(1);

bool HasResources(const v1::ContainerStatus& status) { return status.resources().has_linux(); }

}  // namespace

CriRuntime::CriRuntime(std::string socket, CgroupRoots roots)
    : client_(std::make_unique<CriClient>(std::move(socket))), roots_(std::move(roots)) {}

CriRuntime::~CriRuntime() = default;

StatusOr<KnownContainers::Entry> CriRuntime::Ask(Container container) {
  KnownContainers::Entry entry = known_.Find(container.id).value_or(KnownContainers::Entry{});
  // The runtime's own description is long: it is asked for once, and each time where CRI tells no resources.
  HUYGENS_ASSIGN_OR_RETURN(v1::ContainerStatusResponse answer,
                           client_->ContainerStatus(container.id, entry.cgroups_path.empty()));
  if (answer.info().empty() && !HasResources(answer.status())) {
    HUYGENS_ASSIGN_OR_RETURN(answer, client_->ContainerStatus(container.id, true));
  }
  entry.last = ContainerOf(answer.status());
  entry.last.pod = std::move(container.pod);
  if (const auto text = answer.info().find("info"); text != answer.info().end()) {
    const StatusOr<ContainerInfo> info = ParseContainerInfo(text->second);
    if (!info.ok()) {
      return Annotate(info.status(), Concat("ContainerStatus of ", container.id, ", info of ", client_->socket()));
    }
    entry.cgroups_path = info->cgroups_path;
    entry.pid = info->pid;
    if (!HasResources(answer.status())) entry.last.resources = info->resources;
  }
  entry.asked = SteadyNow();
  known_.Remember(entry.last.id, entry);
  return entry;
}

StatusOr<std::vector<Container>> CriRuntime::List() {
  const Duration begun = SteadyNow();
  // Pods after containers: each container's pod is then among them, unless it went in between.
  HUYGENS_ASSIGN_OR_RETURN(const v1::ListContainersResponse listed, client_->Containers());
  HUYGENS_ASSIGN_OR_RETURN(const v1::ListPodSandboxResponse pods, client_->Pods());
  TextSet pod_ids, container_ids;
  for (const v1::PodSandbox& pod : pods.items()) {
    pod_ids.insert(pod.id());
    known_.Remember(PodOf(pod));
  }

  std::vector<Container> containers;
  containers.reserve(static_cast<size_t>(listed.containers_size()));
  for (const v1::Container& item : listed.containers()) {
    std::shared_ptr<const Pod> pod = known_.FindPod(item.pod_sandbox_id());
    if (!pod_ids.contains(item.pod_sandbox_id()))
      pod = std::make_shared<const Pod>(Pod{.sandbox_id = item.pod_sandbox_id(), .ready = false});
    Container container = ContainerOf(item);
    container.pod = std::move(pod);
    std::optional<KnownContainers::Entry> known = known_.Find(container.id);
    // What has ended asks for nothing any more.
    if (container.state != ContainerState::kExited &&
        (!known || !known->asked || SteadyNow() - *known->asked > kResourcesFor)) {
      StatusOr<KnownContainers::Entry> asked = Ask(container);
      if (absl::IsNotFound(asked.status())) continue;  // gone since
      if (!asked.ok()) return asked.status();
      known = *std::move(asked);
    }
    if (known) container.resources = known->last.resources;
    known_.RememberState(container);
    container_ids.insert(container.id);
    containers.push_back(std::move(container));
  }
  known_.Keep(pod_ids, container_ids, begun);
  std::ranges::sort(containers, {}, &Container::id);
  return containers;
}

StatusOr<Container> CriRuntime::Get(std::string_view id) {
  const std::optional<KnownContainers::Entry> known = known_.Find(id);
  Container container{.id = std::string(id)};
  if (known) {
    container.pod = known->last.pod;
  } else {
    // The status alone does not tell the sandbox.
    HUYGENS_ASSIGN_OR_RETURN(const v1::ListContainersResponse listed, client_->Containers(id));
    const auto item = std::ranges::find(listed.containers(), id, &v1::Container::id);
    if (item == listed.containers().end()) {
      return NotFound(Concat("no container ", id, " at ", client_->socket()));
    }
    container.pod = known_.FindPod(item->pod_sandbox_id());
    if (container.pod == nullptr) {
      HUYGENS_ASSIGN_OR_RETURN(const v1::ListPodSandboxResponse pods, client_->Pods(item->pod_sandbox_id()));
      for (const v1::PodSandbox& pod : pods.items()) {
        if (pod.id() == item->pod_sandbox_id()) container.pod = known_.Remember(PodOf(pod));
      }
    }
    if (container.pod == nullptr)
      container.pod = std::make_shared<const Pod>(Pod{.sandbox_id = item->pod_sandbox_id(), .ready = false});
  }
  HUYGENS_ASSIGN_OR_RETURN(KnownContainers::Entry asked, Ask(std::move(container)));
  return std::move(asked.last);
}

Status CriRuntime::UpdateCpus(std::string_view id, const Cpuset& to) {
  if (to.cpus.empty() && to.mems.empty()) return absl::OkStatus();
  HUYGENS_RETURN_IF_ERROR(client_->UpdateCpuset(id, to));
  known_.ForgetResources(id);
  return absl::OkStatus();
}

StatusOr<Cpuset> CriRuntime::ReadCpuset(std::string_view id) {
  std::optional<KnownContainers::Entry> known = known_.Find(id);
  if (!known || known->cgroups_path.empty()) {
    HUYGENS_RETURN_IF_ERROR(Get(id).status());
    known = known_.Find(id);
  }
  if (!known) return NotFound(Concat("no container ", id, " at ", client_->socket()));
  StatusOr<Cpuset> cpuset = ReadCgroupCpuset(roots_, known->cgroups_path, known->pid);
  return cpuset.ok() ? std::move(cpuset) : Annotate(cpuset.status(), Concat("container ", id));
}

}  // namespace huygens::runtime
