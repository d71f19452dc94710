// What of a configuration is legal and seldom meant.
#pragma once

#include <string>
#include <vector>

#include "extender/configuration.h"

namespace huygens::extender {

// Each as a sentence that begins with the field and says what follows from it; part of Cautions.
std::vector<std::string> UnwiseSettings(const Configuration& configuration);

}  // namespace huygens::extender
