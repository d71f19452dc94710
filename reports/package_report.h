// What `huygens quota tree --packages` prints: how many more pods of each size fit. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/quota_document.h"
#include "base/status.h"

namespace huygens::reports {

// "&package=cpu%3D4%2Cmemory%3D16Gi" for each size of "cpu=4,memory=16Gi cpu=16"; sizes are parted by spaces.
StatusOr<std::string> PackageQuery(std::string_view sizes);

// Of each size what the nodes take, then of each group and size what its budget takes; the size that suits a group best
// is marked.
std::string PackagesText(const admin_api::QuotaTreeDocument& tree);

}  // namespace huygens::reports
