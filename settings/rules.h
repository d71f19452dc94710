// What no single field can be judged by: fields that contradict each other, and names that a registry must know.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "settings/configuration.h"

namespace huygens::settings {

// `report` gets the path of the field to blame ("server.tls.keyFile", "prioritize.terms[1].name") and what is wrong
// with it.
void CheckRules(const Configuration& configuration,
                const std::function<void(std::string_view path, std::string message)>& report);

}  // namespace huygens::settings
