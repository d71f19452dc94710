#include "migration_api/pod_migration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/document.h"

namespace huygens::migration_api {

namespace {

constexpr std::array<std::string_view, 7> kPhases = {"Reserved",  "Evicting", "Evicted",  "Bound",
                                                     "Succeeded", "Failed",   "Abandoned"};

struct StoredMetadata {
  std::string name, namespace_name, uid, resource_version;
  std::optional<Time> created;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.IfSet("namespace", self.namespace_name);
    fields.IfSet("uid", self.uid);
    fields.IfSet("resourceVersion", self.resource_version);
    fields.IfSet("creationTimestamp", self.created);
  }
};

struct StoredStatus {
  std::string phase, reason, message;
  std::optional<Time> since, evicted_at, bound_at, finished_at, next_try;
  std::optional<Replacement> replacement;
  bool released = false;
  int64_t attempts = 1;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("phase", self.phase);
    fields.IfSet("reason", self.reason);
    fields.IfSet("message", self.message);
    fields.IfSet("since", self.since);
    fields.IfSet("evictedAt", self.evicted_at);
    fields.IfSet("boundAt", self.bound_at);
    fields.IfSet("finishedAt", self.finished_at);
    fields.IfSet("nextTry", self.next_try);
    fields.IfSet("replacement", self.replacement);
    fields.IfSet("released", self.released);
    fields.IfSet("attempts", self.attempts);
  }
};

struct StoredMigration {
  std::string api_version{kApiVersion}, kind{kKind};
  StoredMetadata metadata;
  Spec spec;
  StoredStatus status;

  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("metadata", self.metadata);
    fields.Always("spec", self.spec);
    fields.Always("status", self.status);
  }
};

StoredStatus Stored(const State& status) {
  return {std::string(Name(status.phase)),
          status.reason,
          status.message,
          status.since,
          status.evicted_at,
          status.bound_at,
          status.finished_at,
          status.next_try,
          status.replacement,
          status.released,
          status.attempts};
}

}  // namespace

std::string_view Name(Phase phase) { return kPhases[static_cast<size_t>(phase)]; }

std::optional<Phase> PhaseOf(std::string_view name) {
  const auto* const at = std::ranges::find(kPhases, name);
  if (at == kPhases.end()) return std::nullopt;
  return static_cast<Phase>(at - kPhases.begin());
}

std::string NameFor(std::string_view pod_uid) { return Concat("move-", pod_uid); }

std::string ListPath(std::string_view namespace_name) {
  return Concat("/apis/huygens.dev/v1alpha1/namespaces/", namespace_name, "/podmigrations");
}

std::string PathOf(const PodMigration& migration) {
  return Concat(ListPath(migration.namespace_name), "/", migration.name);
}

std::string StatusPathOf(const PodMigration& migration) { return Concat(PathOf(migration), "/status"); }

StatusOr<PodMigration> Decode(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(StoredMigration stored, DecodeJson<StoredMigration>(json));
  if (stored.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (stored.spec.pod.uid.empty()) return Invalid("spec.pod.uid is missing");
  const auto phase = stored.status.phase.empty() ? Phase::kReserved : PhaseOf(stored.status.phase);
  if (!phase) return Invalid(Concat("status.phase: there is no ", CutText(stored.status.phase, 32)));
  StoredStatus& status = stored.status;
  return PodMigration{std::move(stored.metadata.name),
                      std::move(stored.metadata.namespace_name),
                      std::move(stored.metadata.uid),
                      std::move(stored.metadata.resource_version),
                      stored.metadata.created,
                      std::move(stored.spec),
                      {*phase, std::move(status.reason), std::move(status.message), status.since, status.evicted_at,
                       status.bound_at, status.finished_at, status.next_try, std::move(status.replacement),
                       status.released, std::clamp<int64_t>(status.attempts, 1, 1000)}};
}

StatusOr<Page> DecodePage(std::string_view json) {
  return DecodeObject<Page>(json, [](JsonReader& in, Page& page) {
    const auto metadata = [&] { return in.Fields("continue", page.more); };
    const auto items = [&] {
      return in.Elements([&](size_t) -> Status {
        auto item = Decode(in.Skip());
        if (item.ok()) {
          page.items.push_back(*std::move(item));
        } else {
          ++page.unreadable;
        }
        return absl::OkStatus();
      });
    };
    return in.Fields("metadata", metadata, "items", items);
  });
}

std::string Encode(const PodMigration& migration) {
  StoredMigration stored;
  stored.metadata = {migration.name, migration.namespace_name, migration.uid, migration.resource_version,
                     migration.created};
  stored.spec = migration.spec;
  stored.status = Stored(migration.status);
  return EncodeJson(stored);
}

std::string EncodeStatusPatch(const State& status) {
  // A merge patch leaves what it does not name.
  std::string patch = "{\"status\":";
  std::string text = EncodeJson(Stored(status));
  text.pop_back();
  const auto forget = [&text](bool set, std::string_view name) {
    if (!set) text += Concat(",\"", name, "\":null");
  };
  forget(!status.reason.empty(), "reason");
  forget(!status.message.empty(), "message");
  forget(status.evicted_at.has_value(), "evictedAt");
  forget(status.bound_at.has_value(), "boundAt");
  forget(status.finished_at.has_value(), "finishedAt");
  forget(status.next_try.has_value(), "nextTry");
  forget(status.replacement.has_value(), "replacement");
  forget(status.released, "released");
  return Concat(patch, text, "}}");
}

}  // namespace huygens::migration_api
