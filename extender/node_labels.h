// What somebody wrote among the labels of a node for huygens and nobody reads: keys of huygens.dev that are misspelt,
// and those of annotations. What kubelet does not know of the values is kubelet::UnknownSetting. Pure; any thread.
#pragma once

#include <string>

#include "cluster/objects.h"
#include "quota/node_model.h"

namespace huygens::extender {

// "label huygens.dev/cpu-modle: nobody reads it; did you mean huygens.dev/cpu-model?", the first eight of them parted
// by "; ". Empty if there is none. `models`: the labels that name models of the node.
std::string UnreadLabels(const cluster::Node& node, const quota::NodeModelLabels& models);

}  // namespace huygens::extender
