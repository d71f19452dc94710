// The verbs that answer at once, since they ask nobody (bind.h has the other), and what a verb answers: one HTTP
// response, and one word for the metric label `outcome`. Decision thread only.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::extender {

struct Context;

struct VerbAnswer {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";
  std::string_view outcome = "ok";  // ok | rejected | error | malformed | overloaded
  std::string why;                  // of error, malformed and overloaded, for the log
};

// Which of these nodes can take the pod, and a reason for each that cannot. Binds nothing: may be asked twice, for pods
// that are never bound. It remembers whom it refused, and holds what it promised a pod of a gang.
VerbAnswer Filter(Context& context, std::string_view body);
// One integer from 0 to prioritize.maxScore per node. The answer has no place for an error: a request that cannot be
// decided gets an empty list, which kube-scheduler reads as no opinion.
VerbAnswer Prioritize(Context& context, std::string_view body);
// kube-scheduler names nodes and whom it would evict there, chosen without knowing the zones; the answer names the nodes
// that are left and the victims that make room in their zones, too (placement/preempt.cc). kube-scheduler picks one node
// of the answer and evicts. The protocol has no place for an error: while huygens is not ready, and for a request
// without a readable pod, no node is left, so that nobody is evicted in vain.
VerbAnswer Preempt(Context& context, std::string_view body);

// For a body that no answer of the verb can hold an error for: 400 and a text.
VerbAnswer Malformed(const Status& status);
// For what is no call of a verb at all; 503: for what there is no room for now.
VerbAnswer Refusal(int status, std::string_view why);
// Whether the body is JSON at all: if so the verb's own Error field tells what is wrong with it, else Malformed does.
bool IsJson(std::string_view body);

}  // namespace huygens::extender
