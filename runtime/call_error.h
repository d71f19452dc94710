// What went wrong in a call to the container runtime, for people: what, where, what to do. Pure.
#pragma once

#include <grpcpp/support/status.h>

#include <string_view>

#include "base/status.h"

namespace huygens::runtime {

// `call`: "ListContainers of CRI". The code of what it returns is gRPC's, but for updates that the kernel refused, which
// containerd and CRI-O answer with UNKNOWN and runc's text: these are InvalidArgument. OK stays OK.
Status CallError(const grpc::Status& status, std::string_view call, std::string_view socket);

}  // namespace huygens::runtime
