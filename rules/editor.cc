#include "rules/editor.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"

namespace huygens::rules {

namespace {

// "requests/app/cpu" into "requests" and "app/cpu".
std::pair<std::string_view, std::string_view> CutAtSlash(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  return {text.substr(0, slash), text.substr(std::min(slash + 1, text.size()))};
}

bool SameAmount(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const StatusOr<Quantity> one = Quantity::Parse(a), other = Quantity::Parse(b);
  return one.ok() && other.ok() && *one == *other;
}

std::string Shown(const Tree& tree) {
  return tree.kind() == Tree::Kind::kText ? std::string(tree.text()) : tree.Json();
}

bool IsAmountOfContainer(std::string_view field) {
  const std::string_view section = CutAtSlash(field).first;
  return section == "requests" || section == "limits";
}

Tree* ContainerOf(Tree& spec, std::string_view name) {
  Tree* containers = spec.Find("containers");
  if (containers == nullptr) return nullptr;
  for (Tree& container : containers->elements()) {
    if (container.TextOf("name") == name) return &container;
  }
  return nullptr;
}

}  // namespace

Editor::Editor(const Subject& subject) : subject_(subject), object_(subject.object()) {
  before_ = Before::Read(AnnotationBefore(kBeforeAnnotation));
  TakeBack();
}

Tree& Editor::metadata() {
  Tree* at = &object_;
  for (const std::string_view key : subject_.kind().template_path) at = &ObjectIn(*at, key);
  return ObjectIn(*at, "metadata");
}

Tree& Editor::pod_spec() {
  Tree* at = &object_;
  for (const std::string_view key : subject_.kind().template_path) at = &ObjectIn(*at, key);
  return ObjectIn(*at, "spec");
}

Tree& Editor::ObjectIn(Tree& holder, std::string_view key) {
  Tree* member = holder.Find(key);
  if (member == nullptr) return holder.Set(key, Tree::Object());
  if (member->kind() == Tree::Kind::kObject) return *member;
  if (fault_.ok()) fault_ = Invalid(Concat(key, ": must be an object"));
  return scratch_.emplace_back(Tree::Object());
}

Tree& Editor::ListIn(Tree& holder, std::string_view key) {
  Tree* member = holder.Find(key);
  if (member == nullptr) return holder.Set(key, Tree::List());
  if (member->kind() == Tree::Kind::kList) return *member;
  if (fault_.ok()) fault_ = Invalid(Concat(key, ": must be a list"));
  return scratch_.emplace_back(Tree::List());
}

// What a write without the annotation would lose is with the object that it replaces.
std::string Editor::AnnotationBefore(std::string_view key) const {
  constexpr std::string_view kPath[] = {"metadata", "annotations"};
  for (const Tree* object : {&subject_.object(), subject_.old_object()}) {
    const Tree* annotations = object != nullptr ? FindAt(*object, kPath) : nullptr;
    const std::string_view text = annotations != nullptr ? annotations->TextOf(key) : std::string_view();
    if (!text.empty()) return std::string(text);
  }
  return "";
}

bool Editor::Reaches(std::string_view section) const {
  const Reach& reach = subject_.reach();
  if (section == "labels" || section == "annotations") return reach.metadata;
  if (section == "taints") return reach.taints;
  if (section == "allocatable") return reach.allocatable;
  return reach.pod_spec;
}

// Of which containers another webhook has changed an amount that rules had set: "CONTAINER/cpu".
TextSet Editor::AmountsOfOthers() {
  TextSet changed;
  if (subject_.kind().shape != Shape::kPod) return changed;
  for (const Replaced& replaced : before_.all()) {
    const auto [section, rest] = CutAtSlash(replaced.field);
    if (!IsAmountOfContainer(replaced.field) || !Reaches(section)) continue;
    const Place place = PlaceOf(replaced.field);
    const Tree* is = place.holder != nullptr ? place.holder->Find(place.key) : nullptr;
    if (is != nullptr && !SameAmount(is->text(), replaced.set)) changed.emplace(rest);
  }
  return changed;
}

void Editor::TakeBack() {
  // A pod is made once. What another webhook made of an amount is not multiplied again when the API server asks anew, and
  // its limit, which goes with the request, stays as it is, too.
  const TextSet of_others = AmountsOfOthers();
  amounts_of_others_ = !of_others.empty();
  for (const std::string& rest : of_others) {
    for (const std::string_view section : {"requests/", "limits/"}) {
      std::string field = Concat(section, rest);
      const Place place = PlaceOf(field);
      const Tree* is = place.holder != nullptr ? place.holder->Find(place.key) : nullptr;
      claims_.emplace(std::move(field), Claim{nullptr, std::string(is != nullptr ? is->text() : "")});
    }
  }
  Before kept;
  for (const Replaced& replaced : before_.all()) {
    const auto [section, rest] = CutAtSlash(replaced.field);
    const bool stays = IsAmountOfContainer(replaced.field) && of_others.contains(rest);
    if (stays || !Reaches(section)) {
      kept.Remember(replaced);
    } else {
      Restore(replaced);
    }
  }
  before_ = std::move(kept);
}

Editor::Place Editor::PlaceOf(std::string_view field) {
  const auto [section, rest] = CutAtSlash(field);
  if (section == "labels" || section == "annotations") return {metadata().Find(section), rest};
  if (section == "allocatable") {
    Tree* status = object_.Find("status");
    return {status != nullptr ? status->Find(section) : nullptr, rest};
  }
  if (IsAmountOfContainer(field)) {
    const auto [container_name, resource] = CutAtSlash(rest);
    Tree* container = ContainerOf(pod_spec(), container_name);
    Tree* resources = container != nullptr ? container->Find("resources") : nullptr;
    return {resources != nullptr ? resources->Find(section) : nullptr, resource};
  }
  if (section == "spec" && (rest == "schedulerName" || rest == "priorityClassName")) return {&pod_spec(), rest};
  return {};
}

// What is there now is left, where somebody else has changed what was set.
void Editor::Restore(const Replaced& replaced) {
  const auto [section, rest] = CutAtSlash(replaced.field);
  if (section == "taints") return RestoreTaint(rest, replaced);
  const Place place = PlaceOf(replaced.field);
  const Tree* is = place.holder != nullptr ? place.holder->Find(place.key) : nullptr;
  if (is == nullptr) return;
  const bool amount = section == "allocatable" || IsAmountOfContainer(replaced.field);
  if (!(amount ? SameAmount(is->text(), replaced.set) : is->text() == replaced.set)) return;
  if (replaced.before) {
    place.holder->Set(place.key, Tree::Text(*replaced.before));
  } else {
    place.holder->Erase(place.key);
  }
}

void Editor::RestoreTaint(std::string_view key_and_effect, const Replaced& replaced) {
  Tree* spec = object_.Find("spec");
  Tree* taints = spec != nullptr ? spec->Find("taints") : nullptr;
  if (taints == nullptr) return;
  auto& list = taints->elements();
  const auto at = std::ranges::find_if(list, [&](const Tree& taint) {
    return Concat(taint.TextOf("key"), ":", taint.TextOf("effect")) == key_and_effect;
  });
  if (at == list.end() || at->TextOf("value") != replaced.set) return;
  if (replaced.before) {
    at->Set("value", Tree::Text(*replaced.before));
  } else {
    list.erase(at);
  }
}

void Editor::Begin(const SchedulingRule& rule) {
  rule_ = &rule;
  in_effect_ = false;
  conflicts_of_rule_ = 0;
}

void Editor::Lose(std::string field, std::string_view wanted, std::string_view kept, const SchedulingRule* with) {
  ++conflicts_of_rule_;
  conflicts_.push_back({rule_, with, std::move(field), std::string(wanted), std::string(kept)});
}

bool Editor::MayClaim(const std::string& field, std::string_view wanted) {
  const auto claim = claims_.find(field);
  if (claim == claims_.end()) return true;
  if (claim->second.value == wanted) {
    in_effect_ = true;
  } else {
    Lose(field, wanted, claim->second.value, claim->second.rule);
  }
  return false;
}

void Editor::TakeField(const std::string& field, std::string wanted, std::string before, bool changed) {
  in_effect_ = true;
  if (changed) changes_.push_back({rule_, field, std::move(before), wanted});
  claims_.emplace(field, Claim{rule_, std::move(wanted)});
}

void Editor::SetText(Tree& holder, std::string_view key, std::string field, std::string_view wanted, bool may_replace,
                     std::string_view unset) {
  if (!MayClaim(field, wanted)) return;
  const Tree* is = holder.Find(key);
  std::optional<std::string> before;
  if (is != nullptr) before = is->text();
  if (before == wanted) return TakeField(field, std::string(wanted), *before, false);
  if (before && *before != unset && !may_replace) return Lose(std::move(field), wanted, *before, nullptr);
  holder.Set(key, Tree::Text(wanted));
  before_.Remember({.field = field, .before = before, .set = std::string(wanted)});
  TakeField(field, std::string(wanted), before.value_or(""), true);
}

void Editor::RememberAsItIs(const std::string& field, const std::optional<std::string>& value) {
  if (subject_.kind().shape != Shape::kPod || before_.Find(field) != nullptr) return;
  before_.Remember({.field = field, .before = value, .set = value.value_or("")});
}

void Editor::AddToList(Tree& list, const Tree& item, std::string field, const std::function<bool(const Tree&)>& same,
                       const std::function<Tree(const Tree&)>& plainly, bool may_replace) {
  const std::string wanted = Shown(plainly(item));
  if (!MayClaim(field, wanted)) return;
  const auto at = std::ranges::find_if(list.elements(), same);
  if (at == list.elements().end()) {
    list.elements().push_back(item);
    return TakeField(field, wanted, "", true);
  }
  const std::string kept = Shown(plainly(*at));
  if (kept == wanted) return TakeField(field, wanted, wanted, false);
  if (!may_replace) return Lose(std::move(field), wanted, kept, nullptr);
  *at = item;
  TakeField(field, wanted, kept, true);
}

void Editor::NoteAddition(std::string field, const Tree& added) {
  in_effect_ = true;
  changes_.push_back({rule_, std::move(field), "", Shown(added)});
}

void Editor::SetTaint(const Tree& taint, bool may_replace) {
  const std::string field = Concat("taints/", taint.TextOf("key"), ":", taint.TextOf("effect"));
  const std::string_view wanted = taint.TextOf("value");
  if (!MayClaim(field, wanted)) return;
  auto& list = ListIn(ObjectIn(object_, "spec"), "taints").elements();
  const auto at = std::ranges::find_if(list, [&](const Tree& each) {
    return each.TextOf("key") == taint.TextOf("key") && each.TextOf("effect") == taint.TextOf("effect");
  });
  if (at == list.end()) {
    list.push_back(taint);
    before_.Remember({.field = field, .before = {}, .set = std::string(wanted)});
    return TakeField(field, std::string(wanted), "", true);
  }
  const std::string kept(at->TextOf("value"));
  if (kept == wanted) return TakeField(field, kept, kept, false);
  if (!may_replace) return Lose(field, wanted, kept, nullptr);
  at->Set("value", Tree::Text(wanted));
  before_.Remember({.field = field, .before = kept, .set = std::string(wanted)});
  TakeField(field, std::string(wanted), kept, true);
}

void Editor::SetAnnotation(std::string_view key, const std::string& text) {
  Tree* metadata = object_.Find("metadata");
  Tree* annotations = metadata != nullptr ? metadata->Find("annotations") : nullptr;
  if (text.empty()) {
    if (annotations != nullptr) annotations->Erase(key);
    return;
  }
  ObjectIn(ObjectIn(object_, "metadata"), "annotations").Set(key, Tree::Text(text));
}

namespace {

// Whether something of the rule is beyond what this write reaches, so that an earlier record of it stays true.
bool ReachesFurther(const SchedulingRule& rule, const Reach& reach) {
  const Injection& injection = rule.injection;
  const bool metadata = !injection.labels.empty() || !injection.annotations.empty();
  Injection rest = injection;
  rest.labels.clear();
  rest.annotations.clear();
  rest.allocatable.clear();
  rest.taints.clear();
  return (metadata && !reach.metadata) || (!injection.allocatable.empty() && !reach.allocatable) ||
         (!injection.taints.empty() && !reach.taints) || (rest != Injection() && !reach.pod_spec);
}

}  // namespace

// Whether what an earlier record says of a rule (null: it is gone) is still true, though it was not applied now.
bool Editor::Stays(const SchedulingRule* rule, bool whole) const {
  // What became of a rule that is gone is known of nodes: what it set is taken back. A pod stays as it was made.
  if (rule == nullptr) return subject_.kind().shape == Shape::kPod && !whole;
  const bool amounts = !rule->injection.requests.empty() || !rule->injection.limits.empty();
  return ReachesFurther(*rule, subject_.reach()) || (amounts && amounts_of_others_);
}

void Editor::WriteRecord(const std::vector<const SchedulingRule*>& applied,
                         const std::function<const SchedulingRule*(std::string_view)>& find_rule) {
  std::vector<AppliedRule> record;
  record.reserve(applied.size());
  for (const SchedulingRule* rule : applied) record.push_back({rule->name, std::to_string(rule->generation)});
  const bool created_whole = subject_.operation() == Operation::kCreate && subject_.kind().shape != Shape::kPod;
  const bool whole = created_whole || subject_.reach().pod_spec;
  const bool forgets = whole && !amounts_of_others_;
  for (AppliedRule& old : ReadApplied(forgets ? "" : AnnotationBefore(kAppliedAnnotation))) {
    const bool anew = std::ranges::find(record, old.name, &AppliedRule::name) != record.end();
    if (!anew && Stays(find_rule(old.name), whole)) record.push_back(std::move(old));
  }
  SetAnnotation(kAppliedAnnotation, AppliedText(std::move(record)));
  SetAnnotation(kBeforeAnnotation, before_.Text());
}

}  // namespace huygens::rules
