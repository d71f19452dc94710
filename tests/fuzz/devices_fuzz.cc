// Any bytes as a Node, as kubelet's checkpoint of devices, as kubelet's list of pods, and as a pattern of paths. The first
// byte says which.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "device_plugins/counted_resources.h"
#include "device_plugins/device_files.h"
#include "device_plugins/preferred_devices.h"
#include "device_plugins/waiting_pods.h"
#include "json/reader.h"
#include "tests/fuzz/require.h"

namespace huygens::device_plugins {
namespace {

using fuzz::Require;

void CheckNode(std::string_view text) {
  const auto node = DecodeNodeCapacity(text);
  if (!node.ok()) return Require(!Message(node.status()).empty(), "an error has a message");
  const std::vector<CountedResource> wanted = {{"example.com/a", 3}, {"a.b/c", 0}};
  for (const auto& served : {std::set<std::string>(), std::set<std::string>{"example.com/a"}}) {
    const std::string patch = CountedPatch(*node, wanted, served);
    Require(patch.empty() || JsonReader::Check(patch).ok(), "a patch is JSON");
    Require(served.empty() || patch.find("/status/capacity/example.com~1a\"") == patch.npos,
            "a name that is served stays");
  }
}

void CheckPods(std::string_view text) {
  const auto pods = DecodeWaitingPods(text, "example.com/a");
  if (!pods.ok()) return;
  const std::vector<int> zones = ZonesOfAsking(*pods, 2);
  const std::vector<Device> devices = {{"a", true, 0, ""}, {"b", true, 1, ""}, {"c", true, std::nullopt, ""}};
  Require(PreferredDevices(devices, {}, 2, zones).size() == 2, "as many as asked for");
}

}  // namespace
}  // namespace huygens::device_plugins

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace huygens::device_plugins;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      CheckNode(text);
      break;
    case 1:
      static_cast<void>(ServedByPlugins(text));
      break;
    case 2:
      CheckPods(text);
      break;
    default:
      static_cast<void>(FaultOfPattern(text));
      static_cast<void>(InNaturalOrder(text.substr(0, text.size() / 2), text.substr(text.size() / 2)));
  }
  return 0;
}
