// Names of sockets whose order as texts is that of their numbers, by which readers of zones' parents go. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "machine/machine.h"

namespace huygens::publish {

class SocketNames {
 public:
  explicit SocketNames(int64_t highest) : digits_(std::to_string(std::max<int64_t>(highest, 0)).size()) {}
  explicit SocketNames(const machine::Machine& machine)
      : SocketNames(machine.packages.empty() ? 0 : machine.packages.rbegin()->first) {}
  std::string Of(int64_t package) const {
    const std::string number = std::to_string(package);
    return Concat("socket", std::string(digits_ - std::min(digits_, number.size()), '0'), number);
  }

 private:
  size_t digits_;
};

}  // namespace huygens::publish
