#include "reports/package_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "absl/strings/str_split.h"
#include "net/client.h"
#include "reports/table.h"

namespace huygens::reports {

namespace {

using admin_api::QuotaTreeDocument;

std::string Percent(double share) { return Concat(std::to_string(std::lround(share * 100)), " %"); }

}  // namespace

StatusOr<std::string> PackageQuery(std::string_view sizes) {
  std::string query;
  for (const std::string& size :
       std::vector<std::string>(absl::StrSplit(ToAbsl(sizes), absl::ByAnyChar(" \t\n"), absl::SkipEmpty()))) {
    query += Concat("&package=", net::PercentEncoded(size));
  }
  if (query.empty()) return Invalid("--packages wants sizes such as \"cpu=4,memory=16Gi cpu=16,memory=64Gi\"");
  return query;
}

std::string PackagesText(const QuotaTreeDocument& tree) {
  Table nodes({"PACKAGE", "NODES TAKE", "FREE IN PIECES TOO SMALL"});
  std::map<std::string_view, int64_t> by_nodes;
  for (const QuotaTreeDocument::Package& package : tree.packages) {
    std::string pieces;
    for (const auto& [resource, share] : package.fragmentation) {
      pieces += Concat(pieces.empty() ? "" : ", ", resource, " ", Percent(share));
    }
    nodes.AddRow({package.size, std::to_string(package.nodes), pieces});
    by_nodes[package.size] = package.nodes;
  }
  Table groups({"GROUP", "PACKAGE", "FITS", "BY BUDGET", "BY NODES", "NOTE"});
  for (const QuotaTreeDocument::Group& group : tree.groups) {
    std::string name = group.path;
    for (const QuotaTreeDocument::PackageFit& fit : group.packages) {
      const int64_t room = by_nodes[fit.size];
      const int64_t fits = fit.budget ? std::min(*fit.budget, room) : room;
      std::string note = fit.recommended ? "recommended" : "";
      if (fit.budget && *fit.budget <= room) note += Concat(note.empty() ? "" : "; ", "limited by ", fit.limited_by);
      std::vector<std::string> row = {name, fit.size, std::to_string(fits),
                                      fit.budget ? std::to_string(*fit.budget) : "no limit", std::to_string(room)};
      if (!note.empty()) row.push_back(std::move(note));
      groups.AddRow(std::move(row));
      name = " ";
    }
  }
  return Concat(nodes.Text(), "\n", groups.Text());
}

}  // namespace huygens::reports
