// The filter verb: which of these nodes can take the pod, and a reason for each that cannot. Binds nothing: may be asked
// twice, for pods that are never bound. It remembers whom it refused, and holds what it promised a pod of a gang.
// Decision thread only.
#pragma once

#include <string_view>

#include "extender/context.h"
#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Filter(Context& context, std::string_view body);

}  // namespace huygens::extender
