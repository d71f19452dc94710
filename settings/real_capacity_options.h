// What the section `controller.realCapacity` means to whoever plans by it, and what in it contradicts itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "real_capacity/rules.h"
#include "settings/configuration.h"

namespace huygens::settings {

// As CheckRules, of this section alone, without its Prometheus.
void CheckRealCapacity(const RealCapacityFacts& facts,
                       const std::function<void(std::string_view path, std::string message)>& report);
// Of a section that was checked.
real_capacity::Rules RealCapacityRules(const RealCapacityFacts& facts);

}  // namespace huygens::settings
