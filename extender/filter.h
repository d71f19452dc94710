// The filter verb: which of these nodes can take the pod, and a reason for each that cannot. Pure: may be asked twice,
// for pods that are never bound. Decision thread only.
#pragma once

#include <string_view>

#include "extender/context.h"
#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Filter(Context& context, std::string_view body);

}  // namespace huygens::extender
