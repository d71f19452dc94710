// What of a configuration is legal and seldom meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/configuration.h"

namespace huygens::settings {

// Each as a sentence that begins with the field and says what follows from it; part of Cautions.
std::vector<std::string> UnwiseSettings(const Configuration& configuration);

// Whether the file has a section of this name, and none that only the extender reads.
bool IsOnlyFor(std::string_view section, const Configuration& configuration);
// As UnwiseSettings, of a configuration of `huygens webhook`.
std::vector<std::string> UnwiseForWebhook(const Configuration& configuration);

}  // namespace huygens::settings
