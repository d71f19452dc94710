// Small questions to the API server. Blocking; one thread per client.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/client.h"
#include "preflight/judge_topology.h"
#include "preflight/permissions.h"
#include "wire/lease.h"

namespace huygens::preflight {

// By SelfSubjectAccessReview or, for the service account NAMESPACE/NAME in `account`, by SubjectAccessReview.
std::vector<Access> AskAccess(net::Client& client, std::vector<Permission> permissions, std::string_view account,
                              Duration timeout);

// NotFound where there is none.
StatusOr<wire::Lease> AskLease(net::Client& client, std::string_view namespace_name, std::string_view name,
                               Duration timeout);

// kubelets' own configuration of these nodes. After the first that cannot be had for want of permission no other is
// asked.
std::vector<KubeletSays> AskKubelets(net::Client& client, const std::vector<std::string>& nodes, Duration timeout);

}  // namespace huygens::preflight
