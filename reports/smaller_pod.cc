#include "reports/smaller_pod.h"

#include <algorithm>
#include <optional>

#include "admin_api/amounts.h"
#include "base/quantity.h"
#include "base/text.h"

namespace huygens::reports {

namespace {

using admin_api::Amounts;
using admin_api::PodDocument;

std::optional<Quantity> QuantityOf(const Amounts& amounts, std::string_view resource) {
  const auto found = std::ranges::find(amounts, resource, &Amounts::value_type::first);
  if (found == amounts.end()) return std::nullopt;
  auto quantity = Quantity::Parse(found->second);
  return quantity.ok() ? std::optional(*std::move(quantity)) : std::nullopt;
}

// How much of what is needed there is, by the resource of which there is least.
double Share(const Amounts& needs, const Amounts& there) {
  double share = 1;
  for (const auto& [resource, text] : needs) {
    const auto needed = QuantityOf(needs, resource), has = QuantityOf(there, resource);
    if (!needed || !has || needed->Sign() <= 0) return 0;
    share = std::min(share, static_cast<double>(has->MilliValue()) / static_cast<double>(needed->MilliValue()));
  }
  return share;
}

// Of each resource no more than is needed, and of CPUs whole ones: parts of one are no reason to ask for zones.
Amounts AskFor(const Amounts& needs, const Amounts& there) {
  Amounts ask;
  for (const auto& [resource, text] : needs) {
    const Quantity needed = *QuantityOf(needs, resource);
    Quantity has = *QuantityOf(there, resource);
    if (resource == "cpu") has = Quantity::FromInt(has.MilliValue() / 1000);
    ask.emplace_back(resource, std::min(needed, has).Canonical());
  }
  return ask;
}

}  // namespace

std::string ZoneHolds(NodesOfReason nodes, bool empty) {
  const PodDocument::Node* best = nullptr;
  double most = 0;
  for (const PodDocument::Node* node : nodes) {
    if (!node->figures || node->figures->core_threads || !node->figures->one_zone) continue;
    const double share = Share(node->figures->needs, empty ? node->figures->of : node->figures->free);
    if (share > most) {
      best = node;
      most = share;
    }
  }
  if (best == nullptr || most >= 1) return "";
  const PodDocument::Figures& figures = *best->figures;
  const Amounts ask = AskFor(figures.needs, empty ? figures.of : figures.free);
  if (std::ranges::any_of(ask, [](const auto& each) { return each.second == "0"; })) return "";
  return Concat(" of ", admin_api::AmountsText(ask), " or less",
                figures.container.empty() ? "" : Concat(" in container ", figures.container),
                empty ? " (so much has the largest zone, " : " (so much is free now in ", figures.zone, " of ",
                best->name, ")");
}

std::string CeilingHolds(NodesOfReason nodes) {
  const PodDocument::Node* best = nullptr;
  for (const PodDocument::Node* node : nodes) {
    if (!node->ceiling || node->no_pod_fits) continue;
    const auto fits = Quantity::Parse(node->ceiling->fits);
    if (!fits.ok() || fits->Sign() <= 0) continue;
    const bool same = best != nullptr && best->ceiling->resource == node->ceiling->resource;
    if (best != nullptr && (!same || *fits <= *Quantity::Parse(best->ceiling->fits))) continue;
    best = node;
  }
  if (best == nullptr) return "";
  const PodDocument::Ceiling& ceiling = *best->ceiling;
  return ceiling.requests.empty() ? Concat(" that uses ", ceiling.fits, " ", ceiling.resource, " or less (so much ",
                                           best->name, " takes now)")
                                  : Concat(" of ", ceiling.requests, " ", ceiling.resource,
                                           " or less, as its limit, too (so much ", best->name, " takes now)");
}

}  // namespace huygens::reports
