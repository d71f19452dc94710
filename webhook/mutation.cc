#include "webhook/mutation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "webhook/path_below.h"

namespace huygens::webhook {
namespace {

net::Response PlainText(int status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(text, "\n")};
}

}  // namespace

std::string JoinPatches(std::string first, std::string_view second) {
  if (first.empty() || second.empty()) return first + std::string(second);
  first.back() = ',';
  return first.append(second.substr(1));
}

Mutation::Mutation(RuleMutation& rules, const rule_objects::KnownRules& known, PodMutation& pods,
                   std::string_view path_prefix, Environment environment)
    : rules_(rules),
      known_(known),
      pods_(pods),
      path_(PathBelow(path_prefix, kMutatePath)),
      environment_(std::move(environment)) {}

void Mutation::Handle(const net::Request& request, const net::Respond& respond) {
  if (request.method != "POST") return respond(PlainText(405, Concat(path_, " takes POST, not ", request.method)));
  const Duration began = environment_.monotonic();
  StatusOr<std::string> answer = Answer(request.body);
  if (!answer.ok()) return respond(PlainText(400, Message(answer.status())));
  environment_.metrics.Request(kMutatePath, "allowed", request.body.size(), answer->size(),
                               environment_.monotonic() - began);
  respond({.body = *std::move(answer)});
}

StatusOr<std::string> Mutation::Answer(std::string_view body) {
  HUYGENS_ASSIGN_OR_RETURN(AdmissionRequest request, DecodeAdmissionReview(body));
  return EncodeAdmissionAnswer(Judge(std::move(request)));
}

// Of the webhook for pods the API server itself knows that label; that for rules asks about pods of such a namespace, too.
bool Mutation::LowersNothingIn(std::string_view namespace_name) const {
  const Labels* labels = rules_.off() ? nullptr : known_.NamespaceLabels(namespace_name);
  return labels != nullptr && std::ranges::find(*labels, std::pair(std::string(kOvercommitLabel),
                                                                   std::string(kIgnoreValue))) != labels->end();
}

AdmissionAnswer Mutation::Judge(AdmissionRequest request) {
  AdmissionAnswer answer{.uid = request.uid};
  RuleMutation::Answer ruled = rules_.Judge(request);
  answer.patch = std::move(ruled.patch);
  answer.audit_annotations = std::move(ruled.audit_annotations);
  if (pods_.off() || !IsAPodToBe(request) || LowersNothingIn(request.namespace_name)) return answer;
  std::string changed;
  if (!answer.patch.empty()) {
    changed = ruled.object.Json();
    request.object = changed;
  }
  AdmissionAnswer lowered = pods_.Judge(request);
  answer.patch = JoinPatches(std::move(answer.patch), lowered.patch);
  answer.warnings = std::move(lowered.warnings);
  std::ranges::move(lowered.audit_annotations, std::back_inserter(answer.audit_annotations));
  return answer;
}

}  // namespace huygens::webhook
