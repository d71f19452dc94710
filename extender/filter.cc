#include "extender/context.h"
#include "extender/extender_answer.h"
#include "extender/requested_nodes.h"
#include "extender/verb.h"
#include "oversight/report_watch.h"
#include "rescheduler/rescheduler.h"

namespace huygens::extender {

namespace {

VerbAnswer Error(std::string_view message) {
  VerbAnswer answer{.outcome = "error", .why = std::string(message)};
  AppendFilterError(answer.body, message);
  return answer;
}

// The answer's three lists as names; a name that came twice is in one of them once.
struct Lists {
  std::vector<std::string_view> feasible;
  std::vector<RejectedNode> failed;
  std::vector<RejectedNode> unresolvable;
};

Lists Sort(std::span<const std::string_view> names, const placement::FilterAnswer& decision) {
  Lists lists;
  lists.feasible.reserve(decision.feasible.size());
  for (uint32_t position : decision.feasible) lists.feasible.push_back(names[position]);
  for (size_t i = 0; i < names.size() && !decision.narrowed; ++i) {
    policy::Reason reason = decision.reasons[i];
    if (reason == policy::Reason::kFits) continue;
    (policy::CurableByVictims(reason) ? lists.failed : lists.unresolvable).push_back({names[i], policy::Text(reason)});
  }
  if (decision.may_repeat) {
    absl::flat_hash_set<std::string_view, TextHash> seen;
    std::erase_if(lists.feasible, [&](std::string_view name) { return !seen.insert(name).second; });
    auto again = [&](const RejectedNode& node) { return !seen.insert(node.node).second; };
    std::erase_if(lists.failed, again);
    std::erase_if(lists.unresolvable, again);
  }
  return lists;
}

}  // namespace

VerbAnswer Filter(Context& context, std::string_view body) {
  StatusOr<ExtenderArgs> args = DecodeExtenderArgs(body);
  if (!args.ok()) return IsJson(body) ? Error(Message(args.status())) : Malformed(args.status());
  if (args->pod.empty()) return Error("the request names no Pod");
  auto pod = context.pods.Decode(args->pod);
  if (!pod.ok()) return Error(Message(Annotate(pod.status(), "Pod")));
  if (std::string why = context.not_ready(); !why.empty()) return Error(Concat("huygens is not ready: ", why));

  for (const wire::UnknownAnnotation& unknown : context.pods.Unknown((*pod)->uid)) {
    context.metrics.AnnotationIgnored(unknown.key);
    context.warn(**pod, {.reason = "AnnotationIgnored", .message = unknown.text, .repeat_key = unknown.text});
  }

  RequestedNodes requested(*args);
  if (requested.objects() != nullptr && !std::exchange(context.told_of_node_objects, true)) {
    context.log.Warn(
        "kube-scheduler sends whole Node objects; set nodeCacheCapable: true for this extender, it is ten times "
        "cheaper",
        {{"bytes", body.size()}});
  }
  auto names = requested.names();
  Time now = context.clock.Now();
  context.placement.NoteQuestion(**pod, now);
  if (context.moves != nullptr) context.moves->Asked(**pod, now);
  placement::FilterAnswer decision = context.placement.Filter(**pod, names, now);
  const bool nominated = context.moves != nullptr && context.moves->Steer(**pod, names, decision, now);
  context.journal.Filter(**pod, names, decision, now);
  if (context.reports != nullptr) context.reports->Filter(**pod, decision);
  if (!nominated) context.placement.Remember(*pod, decision);
  if (!decision.quota.empty()) {
    // Other figures are no news.
    context.warn(**pod, {.reason = decision.quota_used_up ? "QuotaExceeded" : "QuotaRefused",
                         .message = decision.quota,
                         .repeat_key = ""});
  }

  VerbAnswer answer{.outcome = decision.feasible.empty() ? "rejected" : "ok"};
  bool all_fit = decision.feasible.size() == names.size() && !decision.may_repeat;
  if (all_fit && requested.name_text() == NameText::kVerbatim) {
    AppendFilterAllNames(answer.body, args->node_names_json);
    return answer;
  }
  Lists lists = Sort(names, decision);
  answer.body.reserve(body.size() + 64 * (lists.failed.size() + lists.unresolvable.size()));
  if (requested.objects() != nullptr) {
    AppendFilterNodes(answer.body, *requested.objects(), decision.feasible, lists.failed, lists.unresolvable);
  } else {
    AppendFilterNames(answer.body, lists.feasible, lists.failed, lists.unresolvable, requested.name_text());
  }
  return answer;
}

}  // namespace huygens::extender
