// What a measured value speaks of.
#pragma once

#include <cstdint>
#include <string>

#include "usage_sources/prometheus_answer.h"

namespace huygens::usage_sources {

class PlacedPods;

enum class SubjectKind : uint8_t {
  kWorkload,  // its pods; named as usage::WorkloadOf does
  kNode       // what a node uses beyond its pods; named as the Node
};

// Of a series with the labels of Expressions (usage_sources/queries.h); empty where they name none. `known` says of a
// pod what its name does not.
std::string SubjectOf(SubjectKind kind, const PrometheusLabels& labels, const PlacedPods& known);

}  // namespace huygens::usage_sources
