// Small questions to the API server. Blocking; one thread per client.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "net/client.h"
#include "preflight/judge_topology.h"
#include "preflight/permissions.h"

namespace huygens::preflight {

// By SelfSubjectAccessReview or, for the service account NAMESPACE/NAME in `account`, by SubjectAccessReview.
std::vector<Access> AskAccess(net::Client& client, std::vector<Permission> permissions, std::string_view account,
                              Duration timeout);

// kubelets' own configuration of these nodes. After the first that cannot be had for want of permission no other is
// asked.
std::vector<KubeletSays> AskKubelets(net::Client& client, const std::vector<std::string>& nodes, Duration timeout);

}  // namespace huygens::preflight
