// Any bytes as a ResourceClaim, a ResourceClaimTemplate or a DeviceClass: what comes back has a name, each class once,
// in order, and no count below 0; and as the claims of a pod.
#include <algorithm>

#include "tests/fuzz/require.h"
#include "wire/device_claim.h"
#include "wire/pod.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckClaim(const StatusOr<cluster::ResourceClaim>& claim) {
  if (!claim.ok()) {
    Require(!Message(claim.status()).empty(), "an error has a message");
    return;
  }
  Require(!claim->name.empty(), "a claim has a name");
  Require(claim->defect.empty() || claim->devices.empty(), "an object with a defect asks for nothing");
  auto not_ascending = [](const auto& a, const auto& b) { return a.first >= b.first; };
  Require(std::adjacent_find(claim->devices.begin(), claim->devices.end(), not_ascending) == claim->devices.end(),
          "classes ascend");
  for (const auto& [device_class, count] : claim->devices) {
    Require(!device_class.empty() && count >= 0, "a class has a name, and no count is negative");
  }
  for (const std::string& uid : claim->reserved_for) Require(!uid.empty(), "a pod has a UID");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  huygens::ResourceNames names;
  huygens::CheckClaim(huygens::wire::DecodeResourceClaim(json));
  const auto device_class = huygens::wire::DecodeDeviceClass(json);
  huygens::fuzz::Require(!device_class.ok() || !device_class->name.empty(), "a class has a name");
  const auto pod = huygens::wire::DecodePod(json, names);
  huygens::fuzz::Require(!pod.ok() || !pod->claims || !pod->claims->empty(), "no claims are none");
  return 0;
}
