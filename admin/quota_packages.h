// The sizes of pods that /debug/quotas is asked about (&package=cpu=4,memory=16Gi): how many more of each the nodes and
// the budgets of groups have room for. Parse on any thread, the rest on the decision thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin_api/quota_document.h"
#include "base/resource.h"
#include "base/status.h"
#include "placement/package_room.h"
#include "placement/placement.h"
#include "quota/keys.h"
#include "quota/tree.h"

namespace huygens::admin {

class QuotaPackages {
 public:
  // `query` of the URL. `resources` outlives it.
  static StatusOr<QuotaPackages> Parse(std::string_view query, const quota::KeyOptions& keys,
                                       const ResourceNames& resources);

  // Looks at the next nodes; false once it has looked at all, or there is no package.
  bool Step(const placement::Placement& placement, Time now);

  std::vector<admin_api::QuotaTreeDocument::Package> Rooms() const;
  std::vector<admin_api::QuotaTreeDocument::PackageFit> FitsOf(const quota::Tree& tree, std::string_view group) const;

 private:
  struct Package {
    std::string text;
    quota::Amounts charge;
    placement::PackageRoom room;
  };

  explicit QuotaPackages(const ResourceNames& resources) : resources_(&resources) {}

  const ResourceNames* resources_;
  std::vector<Package> packages_;
  cluster::NodeIndex next_ = 0;
};

}  // namespace huygens::admin
