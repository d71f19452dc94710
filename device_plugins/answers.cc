#include <algorithm>
#include <utility>

#include "base/text.h"
#include "device_plugins/plugin_server.h"

namespace huygens::device_plugins {

void Answers::SetDevices(std::vector<Device> devices) {
  const std::lock_guard lock(mutex_);
  devices_ = std::move(devices);
}

std::vector<Device> Answers::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

v1beta1::DevicePluginOptions Answers::options() const {
  v1beta1::DevicePluginOptions options;
  options.set_pre_start_required(source_.prepares());
  options.set_get_preferred_allocation_available(true);
  return options;
}

v1beta1::PreferredAllocationResponse Answers::Prefer(const v1beta1::PreferredAllocationRequest& request) const {
  v1beta1::PreferredAllocationResponse response;
  const std::vector<Device> known = devices();
  for (const v1beta1::ContainerPreferredAllocationRequest& container : request.container_requests()) {
    std::vector<Device> available;
    for (const std::string& id : container.available_device_ids()) {
      const auto found = std::ranges::find(known, id, &Device::id);
      available.push_back(found == known.end() ? Device{.id = id} : *found);
    }
    const std::vector<std::string> must(container.must_include_device_ids().begin(),
                                        container.must_include_device_ids().end());
    const auto size = static_cast<size_t>(std::max(container.allocation_size(), 0));
    const std::vector<int> wanted =
        ZonesOfAsking(waiting_ ? waiting_() : std::vector<WaitingPod>(), container.allocation_size());
    v1beta1::ContainerPreferredAllocationResponse& answer = *response.add_container_responses();
    for (std::string& id : PreferredDevices(available, must, size, wanted)) answer.add_device_ids(std::move(id));
  }
  return response;
}

StatusOr<v1beta1::AllocateResponse> Answers::Give(const v1beta1::AllocateRequest& request) {
  v1beta1::AllocateResponse response;
  const std::vector<Device> known = devices();
  for (const v1beta1::ContainerAllocateRequest& container : request.container_requests()) {
    const std::vector<std::string> ids(container.devices_ids().begin(), container.devices_ids().end());
    for (const std::string& id : ids) {
      const auto found = std::ranges::find(known, id, &Device::id);
      if (found == known.end()) return NotFound(Concat("there is no device ", id));
      if (!found->healthy) return Refused(Concat("the device ", id, " is lost or not healthy"));
    }
    HUYGENS_ASSIGN_OR_RETURN(const Given given, source_.Give(ids));
    v1beta1::ContainerAllocateResponse& answer = *response.add_container_responses();
    for (const DeviceNode& node : given.nodes) {
      v1beta1::DeviceSpec& spec = *answer.add_devices();
      spec.set_container_path(node.path);
      spec.set_host_path(node.path);
      spec.set_permissions(node.permissions);
    }
    for (const Mount& each : given.mounts) {
      v1beta1::Mount& mount = *answer.add_mounts();
      mount.set_container_path(each.container_path);
      mount.set_host_path(each.host_path);
      mount.set_read_only(each.read_only);
    }
    for (const auto& [name, value] : given.environment) (*answer.mutable_envs())[name] = value;
  }
  return response;
}

StatusOr<v1beta1::AllocateResponse> Answers::Allocate(const v1beta1::AllocateRequest& request) {
  StatusOr<v1beta1::AllocateResponse> response = Give(request);
  (response.ok() ? allocated_ : refused_) += static_cast<uint64_t>(std::max(request.container_requests_size(), 1));
  return response;
}

Status Answers::Prepare(const v1beta1::PreStartContainerRequest& request) {
  const std::vector<std::string> ids(request.devices_ids().begin(), request.devices_ids().end());
  return source_.Prepare(ids);
}

}  // namespace huygens::device_plugins
