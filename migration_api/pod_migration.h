// A PodMigration, huygens.dev/v1alpha1 (config/crd/podmigrations.yaml): a pod that is moved to another node, why, and how
// far that has come. It is written before the pod is evicted, and is all that a restart knows of the move. Only the
// extender that moves pods writes it; people read it. Plain structs; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::migration_api {

inline constexpr std::string_view kApiVersion = "huygens.dev/v1alpha1";
inline constexpr std::string_view kKind = "PodMigration";
inline constexpr std::string_view kAllPath = "/apis/huygens.dev/v1alpha1/podmigrations";

// How far a move has come, in this order.
enum class Phase : uint8_t {
  kReserved,   // room is held on the target; nobody was evicted
  kEvicting,   // an eviction was sent, or is about to be
  kEvicted,    // the API server has taken it: the replacement is awaited
  kBound,      // the replacement has a node
  kSucceeded,  // it is Ready
  kFailed,     // it is not, or there is none, within its time
  kAbandoned,  // given up, and nobody was evicted in vain
};
std::string_view Name(Phase phase);  // "Reserved"
std::optional<Phase> PhaseOf(std::string_view name);
constexpr bool Finished(Phase phase) { return phase >= Phase::kSucceeded; }

struct PodReference {
  std::string name, uid;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("uid", self.uid);
  }
  friend bool operator==(const PodReference&, const PodReference&) = default;
};

struct OwnerReference {
  std::string kind, name, uid;

  static void Describe(auto& self, auto& fields) {
    fields.Always("kind", self.kind);
    fields.Always("name", self.name);
    fields.Always("uid", self.uid);
  }
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// What is to be done; never changed.
struct Spec {
  PodReference pod;           // in the namespace of the object
  OwnerReference owner;       // the controller of the pod, which makes the replacement
  std::string workload;       // NAMESPACE/KIND/NAME of what has replicas: rescheduling::WorkloadKey
  std::string template_hash;  // of the pod: a replacement of another one is of a roll-out
  std::string group;          // business group that pays for it; empty: none
  std::string source, target;
  std::string cause;          // rescheduling::Name(Cause)
  std::string why;            // for people
  bool surge = false;         // the replacement comes before the pod goes
  int64_t replicas = 0;       // of the workload, when it began
  int64_t grace_seconds = 0;  // that the pod has to end

  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("owner", self.owner);
    fields.IfSet("workload", self.workload);
    fields.IfSet("templateHash", self.template_hash);
    fields.IfSet("group", self.group);
    fields.Always("source", self.source);
    fields.Always("target", self.target);
    fields.Always("cause", self.cause);
    fields.IfSet("why", self.why);
    fields.IfSet("surge", self.surge);
    fields.IfSet("replicas", self.replicas);
    fields.IfSet("graceSeconds", self.grace_seconds);
  }
  friend bool operator==(const Spec&, const Spec&) = default;
};

struct Replacement {
  std::string name, uid, node;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("uid", self.uid);
    fields.IfSet("node", self.node);
  }
  friend bool operator==(const Replacement&, const Replacement&) = default;
};

struct State {
  Phase phase = Phase::kReserved;
  std::string reason;              // one word: "Target", "NotReady"
  std::string message;             // for people
  std::optional<Time> since;       // of this phase
  std::optional<Time> evicted_at;  // the API server said yes
  std::optional<Time> bound_at;
  std::optional<Time> finished_at;
  std::optional<Time> next_try;  // of one that did not succeed: not before
  std::optional<Replacement> replacement;
  bool released = false;  // of a surge: the pod was let go by its ReplicaSet
  int64_t attempts = 1;   // to move this pod, or one in its place, in a row
  friend bool operator==(const State&, const State&) = default;
};

struct PodMigration {
  std::string name, namespace_name, uid, resource_version;
  std::optional<Time> created;  // by the clock of the API server
  Spec spec;
  State status;
  friend bool operator==(const PodMigration&, const PodMigration&) = default;
};

// "move-UID" of the pod: there is no second move of one pod beside it.
std::string NameFor(std::string_view pod_uid);
// Of all of its namespace; and of the object, or its status.
std::string ListPath(std::string_view namespace_name);
std::string PathOf(const PodMigration& migration);
std::string StatusPathOf(const PodMigration& migration);

// Fails on what is no such object, saying where: a phase that there is not, no name, no pod. An object without a status
// is Reserved: it was written, and nothing has come of it yet.
StatusOr<PodMigration> Decode(std::string_view json);
// A page of the list: the objects that could be read, how many could not, and the token of the next page.
struct Page {
  std::vector<PodMigration> items;
  int64_t unreadable = 0;
  std::string more;
};
StatusOr<Page> DecodePage(std::string_view json);
// As POST takes it: all of it, though the API server drops the status.
std::string Encode(const PodMigration& migration);
// {"status":{...}}, as a merge patch of the status takes it: what is not set is null.
std::string EncodeStatusPatch(const State& status);

}  // namespace huygens::migration_api
