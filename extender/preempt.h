// The preempt verb: kube-scheduler names nodes and whom it would evict there, chosen without knowing the zones; the
// answer names the nodes that are left and the victims that make room in their zones, too (placement/preempt.cc). Pure:
// kube-scheduler picks one node of the answer and evicts. The protocol has no place for an error: while huygens is not
// ready, and for a request without a readable pod, no node is left, so that nobody is evicted in vain. Decision thread
// only.
#pragma once

#include <string_view>

#include "extender/context.h"
#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Preempt(Context& context, std::string_view body);

}  // namespace huygens::extender
