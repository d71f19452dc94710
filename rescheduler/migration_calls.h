// PodMigrations at the API server: written, listed, deleted. Blocking; one thread per client. Errors are those of
// kube::CallForObject.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "migration_api/pod_migration.h"
#include "net/client.h"

namespace huygens::rescheduler {

// All that there are, in pages. `left_out`: how many could not be read. NotFound: the kind is not installed.
StatusOr<std::vector<migration_api::PodMigration>> ListMigrations(net::Client& client, int64_t& left_out);
// Writes the object without its status, and returns it as it is stored. One of its name that is there, of an earlier
// try, goes first.
StatusOr<migration_api::PodMigration> CreateMigration(net::Client& client, const migration_api::PodMigration& migration,
                                                      Duration timeout);
// NotFound: somebody deleted the object.
Status WriteStatus(net::Client& client, const migration_api::PodMigration& migration, Duration timeout);
// One that is gone is no error.
Status DeleteMigration(net::Client& client, const migration_api::PodMigration& migration, Duration timeout);
// Makes kube-scheduler try the node first: status.nominatedNodeName of the pod of this UID.
Status NominateNode(net::Client& client, std::string_view namespace_name, std::string_view name, std::string_view uid,
                    std::string_view node, Duration timeout);

}  // namespace huygens::rescheduler
