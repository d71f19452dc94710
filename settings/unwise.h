// What of a configuration is legal and seldom meant.
#pragma once

#include <string>
#include <vector>

#include "settings/configuration.h"

namespace huygens::settings {

// Each as a sentence that begins with the field and says what follows from it; part of Cautions.
std::vector<std::string> UnwiseSettings(const Configuration& configuration);

}  // namespace huygens::settings
