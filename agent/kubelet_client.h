// How the kubelet of this node is asked, by whichever part: by what the configuration says, and with the credentials
// towards the API server where it names no others.
#pragma once

#include "agent/part.h"
#include "kubelet_api/client.h"

namespace huygens::agent {

kubelet_api::ClientOptions KubeletClientOptions(const PartContext& context);

}  // namespace huygens::agent
