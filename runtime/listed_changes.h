// What has become of containers between two lists: the events of a runtime that has none. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/container_runtime.h"

namespace huygens::runtime {

class ListedChanges {
 public:
  // The first list tells nothing: whoever follows begins with a list, too.
  void Begin(const std::vector<Container>& containers);
  // Tells `sink` how `containers` differ from the list before. A container that came and went in between is not told.
  void Next(const std::vector<Container>& containers, EventSink& sink);

 private:
  std::map<std::string, Container> before_;
};

}  // namespace huygens::runtime
