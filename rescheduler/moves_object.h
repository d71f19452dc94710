// The ConfigMap huygens-moves, in the namespace of the Lease: the one annotation that stops all moves, huygens.dev/stop,
// whose value says why, and the daily reports. Blocking; one thread per client.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::rescheduler {

inline constexpr std::string_view kMovesObject = "huygens-moves";
inline constexpr std::string_view kStopAnnotation = "huygens.dev/stop";

// Empty: nobody stopped them, or the ConfigMap is not there. An annotation without a text stops, too.
StatusOr<std::string> StopReason(net::Client& client, std::string_view namespace_name);
// Of the ConfigMap's JSON.
StatusOr<std::string> StopReasonOf(std::string_view json);

// The report of a day, DAY.json of the same object; empty: there is none, or not the object.
StatusOr<std::string> ReadReport(net::Client& client, std::string_view namespace_name, const std::string& day);
// A merge patch of it. NotFound: somebody has to create it (config/rescheduler).
Status PatchMoves(net::Client& client, std::string_view namespace_name, std::string_view patch);

}  // namespace huygens::rescheduler
