// The shortest plan that still fails: operations are left out, half of them, quarters, one by one, for as long as it does.
#pragma once

#include <functional>
#include <string>

#include "tests/simulation/plan.h"

namespace huygens::simulation {

// What did not hold; empty: everything did.
using Play = std::function<std::string(const Plan&)>;

// `plan` fails. At most so many plays.
Plan Shrink(Plan plan, const Play& play, int most_plays = 1500);

}  // namespace huygens::simulation
