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

// What becomes of a pod on a node of a model that its group has a budget of and its labels do not name.
enum class UnnamedModel : uint8_t {
  kCharge,  // it is charged to the model, as if it named it
  kRefuse   // it does not go there
};

struct Options {
  Enforcement enforcement = Enforcement::kPlacement;
  UnnamedModel unnamed_model = UnnamedModel::kCharge;
  NodeModelLabels models;
  KeyOptions keys;
};

}  // namespace huygens::quota
