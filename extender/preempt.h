// The preempt verb: answers the candidates that kube-scheduler chose, unchanged, as UIDs. Huygens does not choose
// victims by zones yet.
#pragma once

#include <string_view>

#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Preempt(std::string_view body);

}  // namespace huygens::extender
