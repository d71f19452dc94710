// What a rule injects, part by part.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/quantity.h"
#include "rules/editor.h"

namespace huygens::rules {

namespace {

// Labels by which the controller finds its pods: whoever touches one loses the pods, or has the controller refused.
bool SelectsPods(const Editor& editor, std::string_view label) {
  constexpr std::string_view kPath[] = {"spec", "selector"};
  if (editor.subject().kind().shape != Shape::kController) return false;
  const Tree* selector = FindAt(editor.subject().object(), kPath);
  if (selector == nullptr) return false;
  const Tree* labels = selector->Find("matchLabels");
  if (labels != nullptr && labels->Find(label) != nullptr) return true;
  const Tree* expressions = selector->Find("matchExpressions");
  return expressions != nullptr &&
         std::ranges::any_of(expressions->elements(), [&](const Tree& each) { return each.TextOf("key") == label; });
}

// Thousandths of CPUs, units of all else.
int64_t Whole(const Quantity& amount, bool cpu) { return cpu ? amount.MilliValue() : amount.Value(); }

Quantity AmountOf(int64_t whole, const Quantity& like, bool cpu) {
  return cpu ? Quantity::FromMilli(whole) : Quantity::FromInt(whole, like.format());
}

// Exactly, then rounded: up where `up`, so that nobody gets less than was said; down for what a node offers. Nothing
// where there is no amount to go by, or no number for it.
std::optional<Quantity> Changed(const AmountChange& change, const std::optional<Quantity>& base, bool up) {
  if (change.set) return change.set;
  if (!base || base->Sign() < 0) return std::nullopt;
  const bool cpu = change.resource == "cpu";
  Quantity result = *base;
  if (change.factor_millionths) {
    constexpr __int128 kMillion = 1'000'000;
    const __int128 exact = static_cast<__int128>(Whole(*base, cpu)) * *change.factor_millionths;
    const __int128 rounded = (exact + (up ? kMillion - 1 : 0)) / kMillion;
    if (rounded >= std::numeric_limits<int64_t>::max()) return std::nullopt;
    result = AmountOf(static_cast<int64_t>(rounded), *base, cpu);
  }
  if (change.min && result < *change.min) result = *change.min;
  if (change.max && result > *change.max) result = *change.max;
  return result;
}

std::optional<Quantity> AmountIn(const Tree* holder, std::string_view resource) {
  const Tree* amount = holder != nullptr ? holder->Find(resource) : nullptr;
  if (amount == nullptr) return std::nullopt;
  StatusOr<Quantity> parsed = Quantity::Parse(amount->text());
  return parsed.ok() ? std::optional(*std::move(parsed)) : std::nullopt;
}

// An amount that is the same already keeps the text that it has.
std::string AmountText(const Tree* holder, std::string_view resource, const Quantity& wanted) {
  const std::optional<Quantity> is = AmountIn(holder, resource);
  return is && *is == wanted ? std::string(holder->Find(resource)->text()) : wanted.Canonical();
}

const AmountChange* ChangeOf(const std::vector<AmountChange>& changes, std::string_view resource) {
  const auto at = std::ranges::find(changes, resource, &AmountChange::resource);
  return at == changes.end() ? nullptr : &*at;
}

// Requests and limits of one resource of one container, so that the request never comes to be above the limit.
class ContainerAmounts {
 public:
  ContainerAmounts(Editor& editor, Tree& container, std::string_view resource)
      : editor_(editor),
        container_(container),
        resource_(resource),
        request_field_(Concat("requests/", container.TextOf("name"), "/", resource)),
        limit_field_(Concat("limits/", container.TextOf("name"), "/", resource)) {}

  void Apply(const AmountChange* request_change, const AmountChange* limit_change) {
    const std::optional<Quantity> limit = Now("limits");
    std::optional<Quantity> request = Now("requests");
    if (!request) request = limit;  // as the API server fills it in
    if (limit_change != nullptr) ChangeLimit(*limit_change, limit, request, request_change != nullptr);
    if (request_change == nullptr) return;
    std::optional<Quantity> wanted = Changed(*request_change, request, true);
    if (!wanted) {
      // There is no amount to change, and one that comes from another webhook is not to be.
      if (!request) editor_.RememberAsItIs(request_field_, std::nullopt);
      return;
    }
    const std::optional<Quantity> most = Now("limits");
    if (most && *wanted > *most) wanted = most;
    Set("requests", request_field_, *wanted);
  }

 private:
  const Tree* Find(std::string_view list) const {
    const Tree* resources = container_.Find("resources");
    return resources != nullptr ? resources->Find(list) : nullptr;
  }
  std::optional<Quantity> Now(std::string_view list) const { return AmountIn(Find(list), resource_); }
  // Makes no list for an amount that loses.
  void Set(std::string_view list, const std::string& field, const Quantity& wanted) {
    const std::string text = AmountText(Find(list), resource_, wanted);
    if (!editor_.MayClaim(field, text)) return;
    Tree& holder = editor_.ObjectIn(editor_.ObjectIn(container_, "resources"), list);
    const bool same = holder.TextOf(resource_) == text;
    editor_.SetText(holder, resource_, field, text, true);
    if (same) editor_.RememberAsItIs(field, text);
  }
  void ChangeLimit(const AmountChange& change, const std::optional<Quantity>& limit,
                   const std::optional<Quantity>& request, bool request_follows) {
    const std::optional<Quantity> wanted = Changed(change, limit, true);
    if (!wanted) return;
    const bool follows = request_follows && !editor_.IsClaimed(request_field_);
    const std::optional<Quantity> written = Now("requests");
    if (!follows && written && request && *request > *wanted) {
      editor_.Lose(limit_field_, wanted->Canonical(), Concat("a request of ", request->Canonical()), nullptr);
      // Nor is it to win when another webhook has lowered the request.
      editor_.RememberAsItIs(request_field_, std::string(Find("requests")->TextOf(resource_)));
      return;
    }
    Set("limits", limit_field_, *wanted);
  }

  Editor& editor_;
  Tree& container_;
  const std::string_view resource_;
  const std::string request_field_, limit_field_;
};

}  // namespace

void InjectMetadata(Editor& editor, const SchedulingRule& rule) {
  const Injection& injection = rule.injection;
  if (!editor.subject().reach().metadata) return;
  // A pod of a controller is found by its labels.
  const bool owned = editor.subject().kind().shape == Shape::kPod && editor.subject().owner() != nullptr;
  for (const auto& [key, value] : injection.labels) {
    std::string field = Concat("labels/", key);
    if (SelectsPods(editor, key)) {
      editor.Lose(std::move(field), value, "what the selector of the workload says", nullptr);
    } else {
      Tree& labels = editor.ObjectIn(editor.metadata(), "labels");
      editor.SetText(labels, key, std::move(field), value, rule.override_existing && !owned);
    }
  }
  for (const auto& [key, value] : injection.annotations) {
    editor.SetText(editor.ObjectIn(editor.metadata(), "annotations"), key, Concat("annotations/", key), value,
                   rule.override_existing);
  }
}

void InjectResources(Editor& editor, const SchedulingRule& rule) {
  const Injection& injection = rule.injection;
  if (!editor.subject().reach().pod_spec || (injection.requests.empty() && injection.limits.empty())) return;
  if (editor.pod_spec().Find("resources") != nullptr) {
    editor.Lose("requests", "amounts of containers", "amounts of the whole pod", nullptr);
    return;
  }
  for (Tree& container : editor.ListIn(editor.pod_spec(), "containers").elements()) {
    // No API server takes a name with a slash, and what is recorded by it could not be found again.
    if (container.TextOf("name").empty() || container.TextOf("name").find('/') != std::string_view::npos) continue;
    for (const AmountChange& limit : injection.limits) {
      ContainerAmounts(editor, container, limit.resource).Apply(ChangeOf(injection.requests, limit.resource), &limit);
    }
    for (const AmountChange& request : injection.requests) {
      if (ChangeOf(injection.limits, request.resource) != nullptr) continue;
      ContainerAmounts(editor, container, request.resource).Apply(&request, nullptr);
    }
  }
}

void InjectNode(Editor& editor, const SchedulingRule& rule) {
  const Injection& injection = rule.injection;
  if (editor.subject().reach().taints) {
    for (const Tree& taint : injection.taints) editor.SetTaint(taint, rule.override_existing);
  }
  if (!editor.subject().reach().allocatable || injection.allocatable.empty()) return;
  Tree* status = editor.object().Find("status");
  if (status == nullptr || status->Find("allocatable") == nullptr) return;
  Tree& allocatable = editor.ObjectIn(*status, "allocatable");
  for (const AmountChange& change : injection.allocatable) {
    // What the node does not have is not to be had by a rule.
    const std::optional<Quantity> is = AmountIn(&allocatable, change.resource);
    const std::optional<Quantity> wanted = is ? Changed(change, is, false) : std::nullopt;
    if (!wanted) continue;
    editor.SetText(allocatable, change.resource, Concat("allocatable/", change.resource),
                   AmountText(&allocatable, change.resource, *wanted), true);
  }
}

}  // namespace huygens::rules
