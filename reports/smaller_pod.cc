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
using admin_api::QuantityOf;

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

struct Smaller {
  const PodDocument::Node* node = nullptr;
  Amounts ask;
  bool capped = false;  // by a ceiling of use
};

// What a zone has and the ceiling of use lets pass; nothing where nobody can say how small a pod would pass it.
std::optional<Amounts> ThereFor(const PodDocument::Node& node, bool empty, bool& capped) {
  const PodDocument::Figures& figures = *node.figures;
  Amounts there = empty ? figures.of : figures.most_free.empty() ? figures.free : figures.most_free;
  if (!node.beside) return there;
  const auto most = Quantity::Parse(node.beside->requests);
  const auto has = QuantityOf(there, node.beside->resource);
  if (!most.ok() || !has) return std::nullopt;
  capped = *most < *has;
  if (!capped) return there;
  std::ranges::find(there, node.beside->resource, &Amounts::value_type::first)->second = most->Canonical();
  return there;
}

std::optional<Smaller> Best(NodesOfReason nodes, bool empty) {
  std::optional<Smaller> best;
  double most = 0;
  for (const PodDocument::Node* node : nodes) {
    if (!node->figures || node->figures->core_threads || !node->figures->one_zone) continue;
    bool capped = false;
    const auto there = ThereFor(*node, empty, capped);
    const double share = there ? Share(node->figures->needs, *there) : 0;
    if (share <= most) continue;
    best = Smaller{.node = node, .ask = AskFor(node->figures->needs, *there), .capped = capped};
    most = share;
  }
  const auto nothing = [](const auto& each) { return each.second == "0"; };
  if (!best || most >= 1 || std::ranges::any_of(best->ask, nothing)) return std::nullopt;
  return best;
}

std::string SmallerText(const Smaller& best, bool empty, std::string_view when) {
  const PodDocument::Figures& figures = *best.node->figures;
  const std::string amounts = Concat(" of ", admin_api::AmountsText(best.ask), " or less",
                                     figures.container.empty() ? "" : Concat(" in container ", figures.container));
  if (best.capped) {
    return Concat(amounts, ", as its limit, too", when, " (so much ", best.node->name,
                  " takes now under its ceiling of use)");
  }
  const std::string& zone = empty || figures.freest.empty() ? figures.zone : figures.freest;
  return Concat(amounts, when, empty ? " (so much has the largest zone, " : " (so much is free now in ", zone, " of ",
                best.node->name, ")");
}

}  // namespace

std::string ZoneHolds(NodesOfReason nodes, bool empty) {
  const auto best = Best(nodes, empty);
  return best ? SmallerText(*best, empty, "") : std::string();
}

std::string ZoneHoldsNowOrEmpty(NodesOfReason nodes) {
  const auto now = Best(nodes, false), later = Best(nodes, true);
  if (!later || (now && now->ask == later->ask)) return ZoneHolds(nodes, later.has_value());
  const std::string text = SmallerText(*later, true, " once pods there end");
  return now ? Concat(SmallerText(*now, false, ""), ", or", text) : text;
}

std::string CeilingHolds(NodesOfReason nodes) {
  const PodDocument::Node* best = nullptr;
  for (const PodDocument::Node* node : nodes) {
    if (!node->ceiling || node->no_pod_fits) continue;
    const auto fits = Quantity::Parse(node->ceiling->fits);
    if (!fits.ok() || fits->Sign() <= 0 || node->ceiling->requests == "0") continue;
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
