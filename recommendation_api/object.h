// What the objects of huygens.dev/v1alpha1 about recommendations have in common. Plain structs; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace huygens::recommendation_api {

inline constexpr std::string_view kApiVersion = "huygens.dev/v1alpha1";

struct OwnerReference {
  std::string api_version, kind, name, uid;

  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("name", self.name);
    fields.Always("uid", self.uid);
  }
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct Metadata {
  std::string name, namespace_name, uid, resource_version;
  int64_t generation = 0;
  std::optional<Time> deletion_timestamp;
  std::vector<OwnerReference> owners;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.IfSet("namespace", self.namespace_name);
    fields.IfSet("uid", self.uid);
    fields.IfSet("resourceVersion", self.resource_version);
    fields.IfSet("generation", self.generation);
    fields.IfSet("deletionTimestamp", self.deletion_timestamp);
    fields.IfSet("ownerReferences", self.owners);
  }
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// As Kubernetes has them.
struct Condition {
  std::string type, status, reason, message;  // status: "True", "False", "Unknown"
  std::optional<Time> last_transition;

  static void Describe(auto& self, auto& fields) {
    fields.Always("type", self.type);
    fields.Always("status", self.status);
    fields.Always("reason", self.reason);
    fields.Always("message", self.message);
    fields.IfSet("lastTransitionTime", self.last_transition);
  }
  friend bool operator==(const Condition&, const Condition&) = default;
};

// The same for the same text for ever, in all programs (FNV-1a).
uint64_t StableHash(std::string_view text);

// Null: there is none of this type.
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type);
// Sets the one of its type; the time of its last transition stays while its status does.
void SetCondition(std::vector<Condition>& conditions, Condition condition, Time now);

}  // namespace huygens::recommendation_api
