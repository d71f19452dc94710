#include "quota/packages.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

Quantity LeftOf(const Group& group, std::string_view key) {
  Quantity left = Get(group.object->hard, key);
  left.Sub(Get(group.used, key));
  return left;
}

// The most of `one` that fit into `left`.
int64_t HowMany(const Quantity& one, const Quantity& left) {
  const Amounts of_one = {{"", one}};
  int64_t fit = 0, too_many = kMostPackages + 1;
  while (too_many - fit > 1) {
    const int64_t count = fit + (too_many - fit) / 2;
    (Times(of_one, count).front().second <= left ? fit : too_many) = count;
  }
  return fit;
}

// For comparing shares only.
double Nearest(const Quantity& quantity) {
  const int64_t milli = quantity.MilliValue();
  return milli == std::numeric_limits<int64_t>::max() ? static_cast<double>(quantity.Value())
                                                      : static_cast<double>(milli) / 1000;
}

}  // namespace

PackageFit FitByBudget(const Tree& tree, std::string_view name, const Amounts& one) {
  const Group* group = tree.Find(name);
  if (Verdict standing = tree.Standing(group); !standing.fits()) return {0, standing.detail};
  if (Verdict above = tree.CheckAbove(*group, one, false); !above.fits()) {
    return {0, Concat("bizrq/", above.detail, " above it is over its budget")};
  }
  PackageFit fit{kMostPackages, ""};
  for (const auto& [key, hard] : group->object->hard) {
    const Quantity* grown = Grown(one, key);
    if (!grown) continue;
    int64_t count = kMostPackages;
    if (IsCash(key)) {
      const Quantity* used = group->UsedOf(key);
      if (!used || *used >= hard) count = 0;
    } else {
      count = HowMany(*grown, LeftOf(*group, key));
    }
    if (count < fit.count) fit = {count, key};
  }
  return fit;
}

double Stranded(const Group& group, const Amounts& one, int64_t count) {
  if (count == 0) return 1;
  double scarcest = 0;
  for (const auto& [key, hard] : group.object->hard) {
    const Quantity* amount = IsCash(key) ? nullptr : Grown(one, key);
    const double left = Nearest(LeftOf(group, key));
    if (amount && left > 0) scarcest = std::max(scarcest, Nearest(*amount) / left);
  }
  return scarcest == 0 ? 0 : std::max(0.0, 1 - static_cast<double>(count) * scarcest);
}

int Recommended(std::span<const PackageOffer> offers) {
  int best = -1;
  for (size_t i = 0; i < offers.size(); ++i) {
    if (offers[i].count == 0) continue;
    const auto better = [&](const PackageOffer& a, const PackageOffer& b) {
      return a.stranded != b.stranded ? a.stranded < b.stranded : a.count > b.count;
    };
    if (best < 0 || better(offers[i], offers[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace huygens::quota
