#include "extender/preempt.h"

#include "wire/extender_answer.h"
#include "wire/extender_args.h"

namespace huygens::extender {

VerbAnswer Preempt(std::string_view body) {
  StatusOr<wire::PreemptArgs> args = wire::DecodePreemptArgs(body);
  if (!args.ok()) return Malformed(args.status());
  VerbAnswer answer;
  wire::AppendPreemptVictims(answer.body, args->nodes);
  return answer;
}

}  // namespace huygens::extender
