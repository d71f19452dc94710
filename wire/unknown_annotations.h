// What somebody wrote on a pod for huygens and nobody understands: values that there are not, keys that are misspelt,
// and keys that stand among the labels instead of the annotations, or the other way round. All count as absent
// (wire/pod_annotations.h), which nobody would notice. Pure; any thread.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects.h"

namespace huygens::wire {

inline constexpr std::array<std::string_view, 3> kChosenAnnotations = {
    "topology.crane.io/topology-awareness", "topology.crane.io/cpu-policy", "huygens.dev/smt"};

struct UnknownAnnotation {
  std::string_view key;  // of a value that there is not: one of kChosenAnnotations; of a key: "other"
  // "annotation huygens.dev/smt: there is no \"spred\", so it counts as absent; there are ...", or "label
  // huygens.dev/smt: nobody reads it there; it belongs among the annotations".
  std::string text;
};

// Keys in the order of the object, the first eight, then values. Keys of other owners, and keys of ours that are like none there is, are
// passed over. `json`: what `pod` was decoded from. It is only read once more where a search for a few words finds
// something that is not understood, so for nearly all pods this is that search.
std::vector<UnknownAnnotation> UnknownAnnotations(std::string_view json, const cluster::Pod& pod);

// The same texts, kept in `pod` where it has no node yet: whoever asks why may do so before kube-scheduler asks.
void KeepUnknownAnnotations(std::string_view json, cluster::Pod& pod);

// What is wrong with the key of a label or annotation (`what` says which): it is nearly one of `here`, those that are
// read where it stands, maybe by its domain, or it is one of `elsewhere`, which are read among the `there`. Empty for a key that is right,
// or another's.
std::string KeyFault(std::string_view what, std::string_view key, std::span<const std::string_view> here,
                     std::span<const std::string_view> elsewhere, std::string_view there);

}  // namespace huygens::wire
