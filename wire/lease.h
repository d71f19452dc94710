// coordination.k8s.io/v1 Lease, both ways. Times have microseconds (MicroTime). Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace huygens::wire {

struct Lease {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;  // sent back in an update, so that of two takers one gets 409; empty in a create
  std::string holder;            // holderIdentity; empty = free
  int32_t duration_seconds = 0;
  std::optional<Time> acquired;
  std::optional<Time> renewed;
  int32_t transitions = 0;
  std::string waiting;  // annotation huygens.dev/waiting: who asks the holder for a turn; empty = nobody
};

StatusOr<Lease> DecodeLease(std::string_view json);
void AppendLease(std::string& out, const Lease& lease);

}  // namespace huygens::wire
