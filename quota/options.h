// The `quota` part of the configuration.
#pragma once

#include <cstdint>

#include "quota/keys.h"
#include "quota/node_model.h"

namespace huygens::quota {

// What is held against a pod when it is placed.
enum class Enforcement : uint8_t {
  kPlacement,  // all of its group's budget, and the models it names
  kAdmission,  // hours and models; amounts were charged when its workload was admitted
  kOff         // nothing
};

struct Options {
  Enforcement enforcement = Enforcement::kPlacement;
  NodeModelLabels models;
  KeyOptions keys;
};

}  // namespace huygens::quota
