#include "rescheduler/migration_calls.h"

#include <iterator>
#include <utility>

#include "json/append.h"
#include "kube/api_call.h"
#include "kube/object_call.h"

namespace huygens::rescheduler {

using migration_api::PodMigration;

namespace {

constexpr Duration kListTimeout = std::chrono::seconds(30);

}  // namespace

StatusOr<std::vector<PodMigration>> ListMigrations(net::Client& client, int64_t& left_out) {
  std::vector<PodMigration> all;
  std::string more;
  do {
    const std::string path = Concat(migration_api::kAllPath, "?limit=500",
                                    more.empty() ? "" : Concat("&continue=", net::PercentEncoded(more)));
    HUYGENS_ASSIGN_OR_RETURN(auto page,
                             kube::CallForObject(migration_api::DecodePage, client, "GET", path, "", kListTimeout));
    left_out += page.unreadable;
    std::move(page.items.begin(), page.items.end(), std::back_inserter(all));
    more = std::move(page.more);
  } while (!more.empty());
  return all;
}

StatusOr<PodMigration> CreateMigration(net::Client& client, const PodMigration& migration, Duration timeout) {
  PodMigration fresh = migration;
  fresh.uid.clear();
  fresh.resource_version.clear();
  fresh.created.reset();
  const std::string path = migration_api::ListPath(migration.namespace_name), body = migration_api::Encode(fresh);
  for (bool again : {false, true}) {
    auto made = kube::CallForObject(migration_api::Decode, client, "POST", path, body, timeout);
    if (made.ok() || made.status().code() != absl::StatusCode::kAborted || again) return made;
    HUYGENS_RETURN_IF_ERROR(DeleteMigration(client, migration, timeout));
  }
  return Conflict("the object of an earlier try does not go");
}

Status WriteStatus(net::Client& client, const PodMigration& migration, Duration timeout) {
  return kube::CallForObject(client, "PATCH", migration_api::StatusPathOf(migration),
                             migration_api::EncodeStatusPatch(migration.status), timeout, kube::PatchHeaders("merge"))
      .status();
}

Status DeleteMigration(net::Client& client, const PodMigration& migration, Duration timeout) {
  const Status status = kube::CallForObject(client, "DELETE", migration_api::PathOf(migration), "", timeout).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

Status NominateNode(net::Client& client, std::string_view namespace_name, std::string_view name, std::string_view uid,
                    std::string_view node, Duration timeout) {
  std::string body = "{\"metadata\":{\"uid\":";
  AppendJsonString(body, uid);
  body += "},\"status\":{\"nominatedNodeName\":";
  AppendJsonString(body, node);
  body += "}}";
  return kube::CallForObject(client, "PATCH", Concat("/api/v1/namespaces/", namespace_name, "/pods/", name, "/status"),
                             body, timeout, kube::PatchHeaders("merge"))
      .status();
}

}  // namespace huygens::rescheduler
