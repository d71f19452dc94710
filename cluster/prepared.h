// What was worked out about a pod once for all nodes that it is asked about; each part of huygens has its own.
#pragma once

namespace huygens::cluster {

struct Prepared {
  virtual ~Prepared() = default;
};

}  // namespace huygens::cluster
