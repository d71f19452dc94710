// How many more pods of one size (a "package") a group's budget has room for, and which of several sizes suits what is
// left of it best. Of the nodes, placement/package_room.h says that. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "quota/amounts.h"
#include "quota/tree.h"

namespace huygens::quota {

// More than this are not counted.
inline constexpr int64_t kMostPackages = 1'000'000;

struct PackageFit {
  int64_t count = 0;
  // The key that lets no more in; of a group that takes no such pod at all why (Verdict). Empty: no key limits it, and
  // `count` is kMostPackages.
  std::string limited_by;
};

// `one`: what one pod of the package is charged. Hours do not limit how many there are, unless they are spent or nobody
// has counted them.
PackageFit FitByBudget(const Tree& tree, std::string_view group, const Amounts& one);

// What share of the scarcest key stays unused when `count` of the package are taken: the key of the budget, hours aside,
// of which one package takes the largest share of what is left. 1 where none fits, 0 where no key limits it.
double Stranded(const Group& group, const Amounts& one, int64_t count);

struct PackageOffer {
  int64_t count = 0;  // the smaller of those by budget and by nodes
  double stranded = 1;
};
// The index of the package to recommend: the one that strands least; of equals the one of which more fit. -1: none fits.
int Recommended(std::span<const PackageOffer> offers);

}  // namespace huygens::quota
