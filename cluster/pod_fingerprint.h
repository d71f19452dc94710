// The fingerprint by which an exporter says which pods its figures contain: a hash of the names of the pods of the
// node. Pure; any thread. Source of the rule: k8stopologyawareschedwg/podfingerprint, version pfp0v001:
//
//   "pfp0v001" + hex(XXH64(little-endian hashes of the pods, ascending)),  hash of a pod = XXH64(name, seed =
//   XXH64(namespace))
//
// A pod that is created again under its name has the same hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huygens::cluster {

// Nothing unless the text is a fingerprint of this version.
std::optional<uint64_t> ParsePodFingerprint(std::string_view text);
std::string PodFingerprintText(uint64_t fingerprint);

uint64_t PodNameHash(std::string_view namespace_name, std::string_view name);

// A set of pods, by their hashes.
class HashedPods {
 public:
  void Add(uint64_t pod_hash);
  void Remove(uint64_t pod_hash);  // one that was added
  uint64_t Fingerprint() const;

 private:
  std::vector<uint64_t> hashes_;  // ascending; twice where two pods share a name for a moment
};

}  // namespace huygens::cluster
