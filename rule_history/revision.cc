#include "rule_history/revision.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "rules/object_write.h"
#include "rules/rule.h"

namespace huygens::rule_history {

namespace {

using rules::Tree;

constexpr std::string_view kGenerationAnnotation = "rules.huygens.dev/generation";
constexpr size_t kLongestName = 200;  // of the rule's in that of a revision

StatusOr<int64_t> NumberOf(const Tree& object, std::string_view key) {
  const Tree* member = object.Find(key);
  const std::string_view text = member != nullptr ? member->text() : std::string_view("0");
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return Invalid(Concat(key, ": must be a whole number"));
  return number;
}

std::string AnnotationOf(const Tree& metadata, std::string_view key) {
  const Tree* annotations = metadata.Find("annotations");
  return annotations != nullptr ? std::string(annotations->TextOf(key)) : std::string();
}

StatusOr<Revision> RevisionOf(const Tree& object) {
  const Tree* metadata = object.Find("metadata");
  const Tree* data = object.Find("data");
  const Tree* spec = data != nullptr ? data->Find("spec") : nullptr;
  if (metadata == nullptr || metadata->TextOf("name").empty()) return Invalid("metadata.name: is missing");
  if (spec == nullptr || spec->kind() != Tree::Kind::kObject) return Invalid("data.spec: must be an object");
  Revision revision;
  revision.name = metadata->TextOf("name");
  revision.namespace_name = metadata->TextOf("namespace");
  revision.resource_version = metadata->TextOf("resourceVersion");
  const Tree* labels = metadata->Find("labels");
  if (labels != nullptr) revision.rule = labels->TextOf(kRuleLabel);
  if (const Tree* owners = metadata->Find("ownerReferences"); owners != nullptr) {
    for (const Tree& owner : owners->elements()) {
      if (owner.TextOf("kind") != rules::kRuleKind) continue;
      revision.rule_uid = owner.TextOf("uid");
      // A label takes 63 letters, and the name of a rule may be longer.
      if (!owner.TextOf("name").empty()) revision.rule = owner.TextOf("name");
    }
  }
  HUYGENS_ASSIGN_OR_RETURN(revision.number, NumberOf(object, "revision"));
  const std::string generation = AnnotationOf(*metadata, kGenerationAnnotation);
  std::from_chars(generation.data(), generation.data() + generation.size(), revision.generation);
  revision.cause = AnnotationOf(*metadata, kCauseAnnotation);
  revision.spec = *spec;
  if (const StatusOr<Time> created = ParseRfc3339(metadata->TextOf("creationTimestamp")); created.ok()) {
    revision.created = *created;
  }
  return revision;
}

// Of the same state the same name, whoever writes it.
std::string NameOf(const RuleState& rule) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : rule.spec.Json()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(10, '0');
  for (char& digit : text) {
    digit = kDigits[hash & 0xF];
    hash >>= 4;
  }
  return Concat(std::string_view(rule.name).substr(0, kLongestName), "-", text);
}

}  // namespace

StatusOr<Revision> DecodeRevision(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(const Tree object, Tree::Parse(json));
  return RevisionOf(object);
}

StatusOr<std::vector<Revision>> DecodeRevisions(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(const Tree list, Tree::Parse(json));
  const Tree* items = list.Find("items");
  std::vector<Revision> revisions;
  if (items == nullptr) return revisions;
  for (const Tree& item : items->elements()) {
    StatusOr<Revision> revision = RevisionOf(item);
    if (revision.ok()) revisions.push_back(*std::move(revision));
  }
  std::ranges::sort(revisions, {}, [](const Revision& each) { return std::pair(each.number, each.name); });
  return revisions;
}

StatusOr<RuleState> DecodeRuleState(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(const Tree object, Tree::Parse(json));
  const Tree* metadata = object.Find("metadata");
  const Tree* spec = object.Find("spec");
  if (metadata == nullptr || metadata->TextOf("name").empty()) return Invalid("metadata.name: is missing");
  if (spec == nullptr || spec->kind() != Tree::Kind::kObject) return Invalid("spec: must be an object");
  RuleState state;
  state.name = metadata->TextOf("name");
  state.uid = metadata->TextOf("uid");
  HUYGENS_ASSIGN_OR_RETURN(state.generation, NumberOf(*metadata, "generation"));
  state.cause = AnnotationOf(*metadata, kCauseAnnotation);
  state.spec = *spec;
  return state;
}

std::string EncodeRevision(const Revision& revision) {
  Tree object = Tree::Object();
  object.Set("apiVersion", Tree::Text("apps/v1"));
  object.Set("kind", Tree::Text("ControllerRevision"));
  Tree& metadata = object.Set("metadata", Tree::Object());
  metadata.Set("name", Tree::Text(revision.name));
  metadata.Set("namespace", Tree::Text(revision.namespace_name));
  if (!revision.resource_version.empty()) metadata.Set("resourceVersion", Tree::Text(revision.resource_version));
  std::string_view label = std::string_view(revision.rule).substr(0, 63);
  while (label.ends_with('.') || label.ends_with('-')) label.remove_suffix(1);
  metadata.Set("labels", Tree::Object()).Set(kRuleLabel, Tree::Text(label));
  Tree& annotations = metadata.Set("annotations", Tree::Object());
  annotations.Set(kGenerationAnnotation, Tree::Text(std::to_string(revision.generation)));
  if (!revision.cause.empty()) annotations.Set(kCauseAnnotation, Tree::Text(revision.cause));
  Tree& owner = metadata.Set("ownerReferences", Tree::List()).elements().emplace_back(Tree::Object());
  owner.Set("apiVersion", Tree::Text(rules::kApiVersion));
  owner.Set("kind", Tree::Text(rules::kRuleKind));
  owner.Set("name", Tree::Text(revision.rule));
  owner.Set("uid", Tree::Text(revision.rule_uid));
  owner.Set("controller", Tree::Plain("true"));
  object.Set("revision", Tree::Plain(std::to_string(revision.number)));
  object.Set("data", Tree::Object()).Set("spec", revision.spec);
  return object.Json();
}

Step NextStep(const RuleState& rule, std::vector<Revision> kept, std::string_view namespace_name) {
  Step step;
  // One of the same name that was deleted has left some, until they are collected.
  std::erase_if(kept, [&](const Revision& each) { return each.rule != rule.name || each.rule_uid != rule.uid; });
  std::ranges::sort(kept, {}, [](const Revision& each) { return std::pair(each.number, each.name); });
  const int64_t last = kept.empty() ? 0 : kept.back().number;
  auto same = std::ranges::find_if(kept, [&](const Revision& each) { return each.spec == rule.spec; });
  size_t count = kept.size();
  if (same == kept.end()) {
    step.create = Revision{.name = NameOf(rule),
                           .resource_version = {},
                           .namespace_name = std::string(namespace_name),
                           .rule = rule.name,
                           .rule_uid = rule.uid,
                           .number = last + 1,
                           .generation = rule.generation,
                           .cause = rule.cause,
                           .spec = rule.spec,
                           .created = {}};
    // Of another state that happens to have the same name.
    while (std::ranges::find(kept, step.create->name, &Revision::name) != kept.end()) step.create->name += '0';
    ++count;
  } else if (same->number != last) {
    step.renumber = *same;
    step.renumber->number = last + 1;
    step.renumber->generation = rule.generation;
    step.renumber->cause = rule.cause;
  }
  for (const Revision& each : kept) {
    if (count <= kMostRevisions) break;
    if (same != kept.end() && each.name == same->name) continue;
    step.remove.push_back(each.name);
    --count;
  }
  return step;
}

StatusOr<Revision> FindRevision(const RuleState& rule, const std::vector<Revision>& kept, int64_t number) {
  const Revision* found = nullptr;
  for (const Revision& each : kept) {
    if (each.rule != rule.name || each.rule_uid != rule.uid) continue;
    const bool meant = number != 0 ? each.number == number : each.spec != rule.spec;
    if (meant && (found == nullptr || each.number > found->number)) found = &each;
  }
  if (found != nullptr) return *found;
  if (number != 0) return NotFound(Concat("the rule ", rule.name, " has no revision ", std::to_string(number)));
  return NotFound(Concat("the rule ", rule.name, " has no revision that says something else than it says now"));
}

StatusOr<std::string> RuleAsBefore(std::string_view json, const Revision& revision) {
  HUYGENS_ASSIGN_OR_RETURN(Tree object, Tree::Parse(json));
  Tree* metadata = object.Find("metadata");
  if (metadata == nullptr) return Invalid("metadata: is missing");
  object.Set("spec", revision.spec);
  object.Erase("status");
  metadata->Erase("managedFields");
  Tree* annotations = metadata->Find("annotations");
  if (annotations == nullptr) annotations = &metadata->Set("annotations", Tree::Object());
  if (revision.cause.empty()) {
    annotations->Erase(kCauseAnnotation);
  } else {
    annotations->Set(kCauseAnnotation, Tree::Text(revision.cause));
  }
  return object.Json();
}

}  // namespace huygens::rule_history
