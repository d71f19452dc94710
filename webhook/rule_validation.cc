#include "webhook/rule_validation.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "observe/rule_metrics.h"
#include "webhook/path_below.h"

namespace huygens::webhook {
namespace {

using rules::SchedulingRule;

// A watch is behind by milliseconds.
constexpr Duration kWaitForWatch = std::chrono::seconds(1);
constexpr Duration kPause = std::chrono::milliseconds(20);

net::Response PlainText(int status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(text, "\n")};
}

bool IsARuleToBe(const AdmissionRequest& request) {
  const bool written = request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  return written && request.resource == "schedulingrules" && request.subresource.empty() && !request.object.empty();
}

bool IsBeingDeleted(std::string_view object) {
  constexpr std::string_view kPath[] = {"metadata", "deletionTimestamp"};
  const StatusOr<rules::Tree> tree = rules::Tree::Parse(object);
  return tree.ok() && rules::FindAt(*tree, kPath) != nullptr;
}

}  // namespace

RuleValidation::RuleValidation(const settings::SchedulingRulesConfiguration& configuration,
                               const rule_objects::KnownRules& known, std::string_view path_prefix,
                               Environment environment)
    : configuration_(configuration),
      known_(known),
      path_(PathBelow(path_prefix, kValidateRulePath)),
      environment_(std::move(environment)) {}

void RuleValidation::Handle(const net::Request& request, const net::Respond& respond) {
  if (request.method != "POST") return respond(PlainText(405, Concat(path_, " takes POST, not ", request.method)));
  Ask(std::string(request.body), [respond](StatusOr<std::string> answer) {
    if (!answer.ok()) return respond(PlainText(400, Message(answer.status())));
    respond({.body = *std::move(answer)});
  });
}

void RuleValidation::Ask(std::string body, std::function<void(StatusOr<std::string>)> answer) const {
  AskAgain(std::make_shared<const std::string>(std::move(body)), environment_.monotonic(), std::move(answer));
}

void RuleValidation::AskAgain(std::shared_ptr<const std::string> body, Duration began,
                              std::function<void(StatusOr<std::string>)> answer) const {
  const StatusOr<Judged> judged = Judge(*body);
  if (!judged.ok()) return answer(judged.status());
  const Duration since = environment_.monotonic() - began;
  if (judged->wants_class && environment_.after != nullptr && since < kWaitForWatch) {
    environment_.after(kPause, [this, body = std::move(body), began, answer = std::move(answer)]() mutable {
      AskAgain(std::move(body), began, std::move(answer));
    });
    return;
  }
  std::string text = EncodeAdmissionAnswer(judged->answer);
  environment_.metrics.rules().RuleAsked(judged->answer.allowed);
  environment_.metrics.Request(kValidateRulePath, judged->answer.allowed ? "allowed" : "denied", body->size(),
                               text.size(), since);
  if (!judged->answer.allowed) environment_.log.Info("a rule is refused", {{"why", judged->answer.message}});
  answer(std::move(text));
}

StatusOr<RuleValidation::Judged> RuleValidation::Judge(std::string_view body) const {
  HUYGENS_ASSIGN_OR_RETURN(const AdmissionRequest request, DecodeAdmissionReview(body));
  Judged judged{.answer = {.uid = request.uid}};
  if (!IsARuleToBe(request)) return judged;
  const std::string fault = Fault(request, judged);
  judged.answer.allowed = fault.empty();
  // Who applies many rules at once is told which.
  if (!fault.empty()) judged.answer.message = Concat("SchedulingRule ", request.name, ": ", fault);
  judged.wants_class = judged.wants_class && !judged.answer.allowed;
  return judged;
}

// What depends on where the rule is to be used, and not on the rule alone.
std::string RuleValidation::FaultHere(const SchedulingRule& rule, bool& wants_class) const {
  for (const std::string& name : rule.selection.namespaces) {
    if (std::ranges::find(configuration_.excluded_namespaces, name) != configuration_.excluded_namespaces.end()) {
      return Concat("selector.namespaces: rules are not for ", name, ": huygens itself lives there");
    }
  }
  // As long as nobody has told of PriorityClasses there are none to miss.
  const bool unknown = configuration_.mode == settings::SchedulingRulesMode::kOff || !known_.NotReady().empty();
  if (unknown) return "";
  std::string missing =
      rule_objects::MissingClass(rule, [this](std::string_view name) { return known_.HasPriorityClass(name); });
  wants_class = !missing.empty();
  return missing;
}

std::string RuleValidation::Fault(const AdmissionRequest& request, Judged& judged) const {
  const StatusOr<SchedulingRule> rule = rules::DecodeRule(request.object);
  if (!rule.ok()) return std::string(Message(rule.status()));
  std::string fault = rule->defect.empty() ? FaultHere(*rule, judged.wants_class) : rule->defect;
  if (fault.empty() || request.operation == Operation::kCreate) return fault;
  if (IsBeingDeleted(request.object)) return "";
  const StatusOr<SchedulingRule> old = rules::DecodeRule(request.old_object);
  if (!old.ok()) return fault;
  bool wanted_class = false;
  if ((old->defect.empty() ? FaultHere(*old, wanted_class) : old->defect) != fault) return fault;
  judged.answer.warnings.push_back(Concat("the rule is for no object, as it was before this change: ", fault));
  return "";
}

}  // namespace huygens::webhook
