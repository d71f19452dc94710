// Annotations of a pod whose value is none of those there are: they count as absent (wire/pod_annotations.h), which
// nobody would notice. Pure; any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects.h"

namespace huygens::wire {

inline constexpr std::array<std::string_view, 3> kChosenAnnotations = {
    "topology.crane.io/topology-awareness", "topology.crane.io/cpu-policy", "huygens.dev/smt"};

struct UnknownAnnotation {
  std::string_view key;  // one of kChosenAnnotations
  std::string text;      // "annotation huygens.dev/smt: there is no \"spred\", so it counts as absent; there are ..."
};

// `json`: what `pod` was decoded from. A look into it is taken only where the pod has one of these annotations and no
// value of it, so for nearly all pods this is a search for three words.
std::vector<UnknownAnnotation> UnknownAnnotations(std::string_view json, const cluster::Pod& pod);

}  // namespace huygens::wire
