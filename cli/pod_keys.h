// Labels and annotations of a pod that huygens passes over though somebody meant it to read them: nearly called like
// one that there is, in the wrong one of the two places, or of a value that there is not. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects.h"

namespace huygens::cli {

// "label biz.group.resource.quota/cputype: nobody reads it; did you mean biz.group.resource.quota/cpu-type?", and what
// wire::UnknownAnnotations says. `json`: what `pod` was decoded from. Keys of other owners, and keys of ours that are
// like none, pass.
std::vector<std::string> NotUnderstood(std::string_view json, const cluster::Pod& pod);

}  // namespace huygens::cli
