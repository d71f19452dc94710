#include "admin/quota_packages.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_split.h"
#include "admin/query_string.h"
#include "base/quantity.h"
#include "base/resource_alias.h"
#include "placement/pod_headroom.h"
#include "quota/packages.h"
#include "quota/pod_usage.h"

namespace huygens::admin {

namespace {

using admin_api::QuotaTreeDocument;

constexpr size_t kNodesPerTurn = 20;
constexpr size_t kMostSizes = 20;

// "cpu=4,memory=16Gi"
StatusOr<ResourceVector> ParseSize(const std::string& text, const ResourceNames& resources) {
  ResourceVector size;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ','))) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const auto quantity = Quantity::Parse(equals == std::string::npos ? "" : part.substr(equals + 1));
    if (!quantity.ok() || quantity->Sign() <= 0) {
      return Invalid(Concat("package: expected sizes such as cpu=4,memory=16Gi, not \"", text, "\""));
    }
    const auto resource = resources.Find(ResourceOf(name));
    if (!resource) return Invalid(Concat("package: no node or pod has a resource called ", name));
    size.Set(*resource, BaseUnits(*resource, *quantity));
  }
  return size;
}

double Rounded(double share) { return std::round(1000 * share) / 1000; }

}  // namespace

StatusOr<QuotaPackages> QuotaPackages::Parse(std::string_view query, const quota::KeyOptions& keys,
                                             const ResourceNames& resources) {
  QuotaPackages parsed(resources);
  for (const auto& [key, value] : QueryPairs(query)) {
    if (key != "package") continue;
    if (parsed.packages_.size() == kMostSizes) return Invalid("more than 20 packages");
    HUYGENS_ASSIGN_OR_RETURN(const ResourceVector size, ParseSize(value, resources));
    parsed.packages_.push_back(
        {value, quota::PodUsage(placement::PodOfSize(size), {}, resources, keys), placement::PackageRoom(size)});
  }
  return parsed;
}

bool QuotaPackages::Step(const placement::Placement& placement, Time now) {
  if (packages_.empty()) return false;
  const size_t end = std::min(placement.state().NodeSlots(), next_ + kNodesPerTurn);
  for (; next_ < end; ++next_) {
    for (Package& each : packages_) each.room.Add(placement, next_, now);
  }
  return next_ < placement.state().NodeSlots();
}

std::vector<QuotaTreeDocument::Package> QuotaPackages::Rooms() const {
  std::vector<QuotaTreeDocument::Package> rooms;
  for (const Package& each : packages_) {
    QuotaTreeDocument::Package& said =
        rooms.emplace_back(QuotaTreeDocument::Package{.size = each.text, .nodes = each.room.count()});
    for (const auto& [resource, amount] : each.room.size()) {
      said.fragmentation.emplace_back(std::string(resources_->Name(resource)),
                                      Rounded(each.room.Fragmentation(resource)));
    }
  }
  return rooms;
}

std::vector<QuotaTreeDocument::PackageFit> QuotaPackages::FitsOf(const quota::Tree& tree, std::string_view name) const {
  std::vector<QuotaTreeDocument::PackageFit> fits;
  std::vector<quota::PackageOffer> offers;
  const quota::Group* group = tree.Find(name);
  for (const Package& each : packages_) {
    const quota::PackageFit fit = quota::FitByBudget(tree, name, each.charge);
    QuotaTreeDocument::PackageFit& said =
        fits.emplace_back(QuotaTreeDocument::PackageFit{.size = each.text, .limited_by = fit.limited_by});
    if (!fit.limited_by.empty()) said.budget = fit.count;
    const int64_t count = std::min(fit.count, each.room.count());
    offers.push_back({count, group ? quota::Stranded(*group, each.charge, count) : 1});
  }
  if (const int best = quota::Recommended(offers); best >= 0) fits[static_cast<size_t>(best)].recommended = true;
  return fits;
}

}  // namespace huygens::admin
