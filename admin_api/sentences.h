// What a page says in words and the command line says of the same document. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/pod_document.h"
#include "base/time.h"

namespace huygens::admin_api {

// "its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at most
// (topology.lossGrace: 10m)"
std::string LossText(Duration left, Duration grace);

// "asks 3 cpu and was bound with 2 cpu; node0 can give 4 cpu, of which 5 cpu are taken"
std::string OutgrownText(const PodDocument::Outgrown& outgrown);

}  // namespace huygens::admin_api
