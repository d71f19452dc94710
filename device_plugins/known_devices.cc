#include "device_plugins/known_devices.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "device_plugins/preferred_devices.h"

namespace huygens::device_plugins {

std::vector<Device> KnownDevices::WithLost(std::vector<Device> there, Duration now) {
  for (const Device& each : there) known_[each.id] = {each, now};
  std::erase_if(known_, [now](const auto& each) { return now - each.second.seen > kKept; });
  for (const auto& [id, known] : known_) {
    if (known.seen == now) continue;
    Device lost = known.device;
    lost.healthy = false;
    lost.why = "it is no longer there";
    there.push_back(std::move(lost));
  }
  std::ranges::sort(there, [](const Device& a, const Device& b) { return InNaturalOrder(a.id, b.id); });
  return there;
}

std::string VariableName(std::string_view prefix, std::string_view resource) {
  std::string name(prefix);
  for (const char c : resource) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    name += letter ? static_cast<char>(c & ~0x20) : c >= '0' && c <= '9' ? c : '_';
  }
  return name;
}

std::string DeviceId(std::string_view name) {
  constexpr size_t kMost = 63;
  if (name.size() <= kMost) return std::string(name);
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  char number[18];
  std::snprintf(number, sizeof number, "~%016llx", static_cast<unsigned long long>(hash));
  return Concat(CutText(name, kMost - 17), number);
}

}  // namespace huygens::device_plugins
