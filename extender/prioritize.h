// The prioritize verb: one integer from 0 to prioritize.maxScore per node. Pure. Decision thread only.
// Its answer has no place for an error: a request that cannot be decided gets an empty list, which kube-scheduler reads
// as no opinion.
#pragma once

#include <string_view>

#include "extender/context.h"
#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Prioritize(Context& context, std::string_view body);

}  // namespace huygens::extender
