// `huygens-agent show`: who sits where by the agent's state file, as text for people and as a part of the document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/machine_document.h"
#include "machine/machine.h"
#include "pinner/state_store.h"

namespace huygens::agent {

// Nothing where no agent has pinned.
std::optional<PinsDocument> DescribePins(const StatusOr<pinner::KeptState>& kept);
std::string DrawPins(const machine::Machine& machine, const pinner::KeptState& kept, std::string_view file);

}  // namespace huygens::agent
