// `huygens-agent show`: who sits where by the agent's state file, as text for people.
#pragma once

#include <string>

#include "machine/machine.h"
#include "pinner/state_store.h"

namespace huygens::agent {

std::string DrawPins(const machine::Machine& machine, const pinner::KeptState& kept, std::string_view file);

}  // namespace huygens::agent
