#include "quota/device_classes.h"

#include <utility>

namespace huygens::quota {
namespace {

void AddTo(std::string_view name, const Quantity& amount, const cluster::QuotaLabels& labels, const KeyOptions& options,
           Amounts& usage) {
  Amounts more;
  Charge(name, Side::kRequests, amount, labels, options, more);
  Add(usage, more);
}

// Of the names that all mean the devices of the class each but `asked`, under which they are charged already.
void ChargeNames(std::string_view device_class, int64_t count, std::string_view asked, const DeviceClasses& classes,
                 const cluster::QuotaLabels& labels, const KeyOptions& options, Amounts& usage) {
  const Quantity amount = Quantity::FromInt(count);
  Add(usage, {{DevicesKey(device_class), amount}});
  const std::string own = Concat(kDeviceClassResource, device_class);
  for (const std::string_view name : {std::string_view(own), classes.ResourceOf(device_class)}) {
    if (!name.empty() && name != asked) AddTo(name, amount, labels, options, usage);
  }
}

}  // namespace

void DeviceClasses::Set(const cluster::DeviceClass& device_class) {
  classes_[device_class.name] = device_class;
  Settle();
}

void DeviceClasses::Remove(std::string_view name) {
  if (auto found = classes_.find(name); found != classes_.end()) classes_.erase(found);
  Settle();
}

// There are few of them, and they hardly ever change.
void DeviceClasses::Settle() {
  class_of_.clear();
  for (const auto& [name, device_class] : classes_) {
    if (device_class.extended_resource.empty()) continue;
    auto [known, is_new] = class_of_.try_emplace(device_class.extended_resource, name);
    if (!is_new && classes_.find(known->second)->second.created < device_class.created) known->second = name;
  }
}

std::string_view DeviceClasses::ClassOf(std::string_view resource) const {
  if (class_of_.empty()) return {};
  const auto found = class_of_.find(resource);
  return found == class_of_.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view DeviceClasses::ResourceOf(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? std::string_view() : std::string_view(found->second.extended_resource);
}

bool DeviceClasses::Concern(std::string_view key) const {
  if (class_of_.empty()) return false;
  const std::string_view wanted = ExtendedResourceOf(key);
  for (size_t end = wanted.size(); end != 0 && end != std::string_view::npos; end = wanted.rfind('.', end - 1)) {
    if (class_of_.contains(wanted.substr(0, end))) return true;
  }
  return false;
}

void ChargeDevices(std::string_view device_class, int64_t count, const DeviceClasses& classes,
                   const cluster::QuotaLabels& labels, const KeyOptions& options, Amounts& usage) {
  ChargeNames(device_class, count, "", classes, labels, options, usage);
}

void ChargeAsDevices(std::string_view resource, int64_t count, const DeviceClasses& classes,
                     const cluster::QuotaLabels& labels, const KeyOptions& options, Amounts& usage) {
  const bool by_class = resource.starts_with(kDeviceClassResource);
  const std::string_view device_class =
      by_class ? resource.substr(kDeviceClassResource.size()) : classes.ClassOf(resource);
  if (!device_class.empty()) ChargeNames(device_class, count, resource, classes, labels, options, usage);
}

}  // namespace huygens::quota
