// What pods ask of dynamic resource allocation (resource.k8s.io): ResourceClaims, the DeviceClasses they name, and the
// claims that a pod names. Only what a budget needs. Plain values, filled by wire/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace huygens::cluster {

struct ResourceClaim {
  bool is_template = false;  // a ResourceClaimTemplate, in manifests only: nobody makes claims from it there
  std::string namespace_name;
  std::string name;
  // The most devices of each class that may be allocated, ordered by class, each once.
  std::vector<std::pair<std::string, int64_t>> devices;
  std::vector<std::string> reserved_for;  // status.reservedFor: UIDs of pods, in the order in which they got it
  std::string defect;                     // why the object cannot be read; empty = usable

  std::string Key() const { return is_template ? KeyOfTemplate(namespace_name, name) : namespace_name + "/" + name; }
  static std::string KeyOfTemplate(std::string_view namespace_name, std::string_view name) {
    return Concat(namespace_name, "/", name, "/template");
  }
  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

struct DeviceClass {
  std::string name;
  std::string extended_resource;  // spec.extendedResourceName: pods may ask for its devices by this name; empty = none
  int64_t created = 0;            // metadata.creationTimestamp, seconds since 1970
  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};

// One of a pod's spec.resourceClaims.
struct PodClaim {
  std::string entry;      // its name within the pod
  std::string name;       // of the ResourceClaim; empty: none has been made from the template yet
  std::string made_from;  // the ResourceClaimTemplate; empty: the pod names the claim itself
  bool needed = true;     // false: the API server says that the pod gets along without
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

// Whether it is known for each which claim it is.
inline bool AllNamed(const std::vector<PodClaim>& claims) {
  for (const PodClaim& claim : claims) {
    if (claim.needed && claim.name.empty()) return false;
  }
  return true;
}

}  // namespace huygens::cluster
