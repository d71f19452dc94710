#include "runtime/call_error.h"

#include <algorithm>
#include <string>

namespace huygens::runtime {

namespace {

std::string_view Advice(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
      return "; is the runtime running, is this its socket, and is the folder of the socket (not the socket) mounted "
             "into the agent's pod?";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "; the runtime is overloaded or hangs: see its log";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "; the runtime does not know this call: CRI v1 needs containerd 1.6, CRI-O 1.23 or newer";
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return "; the agent must run as uid 0";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "; the answer is larger than the agent takes (16 MiB)";
    default:
      return "";
  }
}

}  // namespace

Status CallError(const grpc::Status& status, std::string_view call, std::string_view socket) {
  if (status.ok()) return absl::OkStatus();
  constexpr size_t kMostText = 1000;
  std::string said(CutText(status.error_message(), kMostText));
  std::ranges::replace(said, '\n', ' ');  // runc ends its lines
  const std::string text = Concat(call, " at ", socket, ": ", said, Advice(status.error_code()));
  // runc names the file that the kernel did not take.
  if (status.error_code() == grpc::StatusCode::UNKNOWN && status.error_message().find("cpuset.") != std::string::npos) {
    return Invalid(Concat(text, "; the node has no such CPU or memory node, or its parent's cgroup does not"));
  }
  return Status(static_cast<absl::StatusCode>(status.error_code()), ToAbsl(text));  // the numbers are the same
}

}  // namespace huygens::runtime
