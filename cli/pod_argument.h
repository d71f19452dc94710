// The pod that a command is asked about, as kubectl users name it: POD, pod/POD or NAMESPACE/POD, and -n NAMESPACE.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::cli {

struct PodArgument {
  std::string space = "default";  // its namespace
  std::string name;
  bool space_given = false;

  std::string Key() const { return space + "/" + name; }
};

// A namespace in `given` wins over the flags: `shop/web -n other` is shop/web. -n and --namespace that differ are an
// error, as is a name that is empty.
StatusOr<PodArgument> ReadPodArgument(std::string_view given);

}  // namespace huygens::cli
