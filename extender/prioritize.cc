#include "extender/context.h"
#include "extender/extender_answer.h"
#include "extender/requested_nodes.h"
#include "extender/verb.h"

namespace huygens::extender {

VerbAnswer Prioritize(Context& context, std::string_view body) {
  StatusOr<ExtenderArgs> args = DecodeExtenderArgs(body);
  if (!args.ok()) return Malformed(args.status());
  if (args->pod.empty()) return Malformed(Invalid("the request names no Pod"));
  auto pod = context.pods.Decode(args->pod);
  if (!pod.ok()) return Malformed(Annotate(pod.status(), "Pod"));
  if (std::string why = context.not_ready(); !why.empty()) return {.body = "[]", .outcome = "error", .why = why};

  RequestedNodes requested(*args);
  auto names = requested.names();
  Time now = context.clock.Now();
  std::vector<placement::TermScores> terms;
  const std::vector<int64_t> scores = context.placement.Prioritize(**pod, names, now, &terms);
  context.journal.Prioritize(**pod, names, scores, terms, now);

  VerbAnswer answer;
  answer.body.reserve(body.size() + 24 * names.size());
  AppendHostPriorities(answer.body, names, scores, requested.name_text());
  return answer;
}

}  // namespace huygens::extender
