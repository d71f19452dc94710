// What is known of a cluster when a review comes, from wherever it is known.
#pragma once

#include <string>

#include "webhook/judgement.h"

namespace huygens::webhook {

class KnownCluster {
 public:
  virtual ~KnownCluster() = default;
  virtual Facts facts() const = 0;
  // What is not known yet and is needed, in words for whoever asked; empty: nothing.
  virtual std::string NotReady() const = 0;
};

}  // namespace huygens::webhook
