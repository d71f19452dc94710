// One kind that is followed by a watch, for whoever must know how far that has come. The loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace huygens::informer {

struct WatchedKind {
  std::string name;                // "deployments.apps", as kubectl names kinds
  std::vector<std::string> paths;  // where it is listed; of several versions the newest first
  // All changes of the kind up to this resource version are known. 0: it was never listed.
  std::function<uint64_t()> seen;
  // Has the watch come soon as far as this version.
  std::function<void(uint64_t version)> catch_up;
  bool may_be_forbidden = false;  // the service does its work where nobody allows it to list the kind
};

}  // namespace huygens::informer
