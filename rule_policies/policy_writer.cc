#include "rule_policies/policy_writer.h"

#include <algorithm>

#include "base/text.h"
#include "json/append.h"
#include "rule_policies/cel.h"
#include "rule_policies/selection.h"
#include "rules/record.h"

namespace huygens::rule_policies {

namespace {

using rules::SchedulingRule;
using rules::Shape;

// A list of the indices `indices` of which variable `index` is one.
std::string OneOf(const std::string& index, const std::vector<size_t>& indices) {
  std::string out = Concat(index, " in [");
  for (size_t i = 0; i < indices.size(); ++i) out += Concat(i == 0 ? "" : ", ", std::to_string(indices[i]));
  return out + "]";
}

std::string FirstOf(const std::vector<std::string>& conditions) {
  std::string out = "[";
  for (size_t i = 0; i < conditions.size(); ++i) out += Concat(i == 0 ? "" : ", ", conditions[i]);
  return out + "].indexOf(true)";
}

std::string JsonText(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

// The text at `index`, of texts that are often all the same.
std::string TextAt(const std::vector<std::string>& texts, const std::string& index) {
  const bool same = std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
  return same ? CelText(texts.front()) : Concat(CelTexts(texts), "[", index, "]");
}

}  // namespace

PolicyWriter::PolicyWriter(const rules::KnownKind& kind, std::vector<const SchedulingRule*> rules)
    : kind_(kind), rules_(std::move(rules)), in_effect_(rules_.size()) {
  WriteFacts();
  WriteMatches();
  WriteMetadata();
  if (kind_.shape == Shape::kNode) {
    WriteTaints();
  } else {
    WriteSpec();
  }
  WriteRecord();
}

std::string PolicyWriter::Variable(std::string_view stem, const std::string& expression) {
  std::string name = Concat(stem, std::to_string(variables_.size()));
  variables_.emplace_back(name, expression);
  return Concat("variables.", name);
}

std::string PolicyWriter::Matches(size_t rule) const { return Concat("variables.for_", std::to_string(rule)); }

std::string PolicyWriter::MatchesSpec(size_t rule) const {
  return kind_.shape == Shape::kPod ? All({Matches(rule), "variables.unplaced"}) : Matches(rule);
}

std::string PolicyWriter::PodPath(std::string_view member) const {
  std::string path = "object";
  for (const std::string_view part : kind_.template_path) path += Concat(".", part);
  return Concat(path, ".", member);
}

std::string PolicyWriter::PodPointer(std::string_view member) const {
  std::string pointer;
  for (const std::string_view part : kind_.template_path) pointer += Concat("/", part);
  return Concat(pointer, "/", member);
}

void PolicyWriter::MakeParent(const std::string& absent, const std::string& condition, const std::string& pointer,
                              std::string_view empty) {
  parents_.push_back(PatchIf(All({absent, condition}), "add", CelText(pointer), empty));
}

void PolicyWriter::WriteFacts() {
  const auto map_of = [&](std::string_view name, std::string_view holder, std::string_view member) {
    variables_.emplace_back(name, Concat("has(", holder, ".", member, ") ? ", holder, ".", member, " : {}"));
  };
  map_of("labels", "object.metadata", "labels");
  if (kind_.shape == Shape::kController) {
    variables_.emplace_back("metadata", Concat("has(", PodPath("metadata"), ") ? ", PodPath("metadata"), " : {}"));
    map_of("pod_labels", "variables.metadata", "labels");
    map_of("pod_annotations", "variables.metadata", "annotations");
    return;
  }
  variables_.emplace_back("pod_labels", "variables.labels");
  map_of("pod_annotations", "object.metadata", "annotations");
  if (kind_.shape != Shape::kPod) return;
  variables_.emplace_back("owners",
                          "has(object.metadata.ownerReferences) ? object.metadata.ownerReferences.filter(o, "
                          "has(o.controller) && o.controller) : []");
  variables_.emplace_back("owner", "size(variables.owners) > 0 ? variables.owners[0].kind : ''");
  variables_.emplace_back("unplaced", "!has(object.spec.nodeName) || object.spec.nodeName == ''");
}

void PolicyWriter::WriteMatches() {
  if (kind_.shape != Shape::kNode) {
    variables_.emplace_back("space", "has(namespaceObject.metadata.labels) ? namespaceObject.metadata.labels : {}");
  }
  const std::vector<LabelRequirement> required = CommonRequirements(rules_);
  for (size_t i = 0; i < rules_.size(); ++i) {
    variables_.emplace_back(Concat("for_", std::to_string(i)), MatchExpression(*rules_[i], kind_, required));
  }
}

void PolicyWriter::WriteTexts(const TextPlace& place, const std::vector<TextOffer>& offers) {
  if (offers.empty()) return;
  std::vector<std::string> may, values, json;
  for (const TextOffer& offer : offers) {
    std::vector<std::string> good = {offer.value};
    if (place.unset && *place.unset != offer.value) good.push_back(*place.unset);
    const bool spec = place.field.starts_with("spec/");
    may.push_back(All({spec ? MatchesSpec(offer.rule) : Matches(offer.rule), place.open,
                       Any({Not(place.present), Concat(place.value, " in ", CelTexts(good)), offer.replaces})}));
    values.push_back(offer.value);
    json.push_back(JsonText(offer.value));
  }
  const std::string winner = Variable("first", FirstOf(may));
  const std::string value = TextAt(values, winner);
  const std::string sets =
      Variable("sets", All({Concat(winner, " >= 0"), Any({Not(place.present), Concat(place.value, " != ", value)})}));
  std::ranges::move(place.set(sets, value), std::back_inserter(patches_));
  before_.emplace_back(place.field, Concat(sets, " ? ", CelText(Concat(JsonText(place.field), ":[")), " + (",
                                           place.present, " ? '\"' + ", place.value, " + '\"' : 'null') + ',' + ",
                                           TextAt(json, winner), " + ']' : ''"));
  for (size_t i = 0; i < offers.size(); ++i) {
    std::vector<size_t> as_wanted;
    for (size_t j = 0; j <= i; ++j) {
      if (offers[j].value == offers[i].value) as_wanted.push_back(j);
    }
    in_effect_[offers[i].rule].push_back(OneOf(winner, as_wanted));
  }
}

void PolicyWriter::WriteList(const ListPlace& place, const std::vector<ListOffer>& offers) {
  if (offers.empty()) return;
  struct Group {
    std::string found;  // CEL: the elements of this identity
    std::vector<size_t> offers;
    std::string winner;  // CEL: an index of `offers`
  };
  std::vector<std::pair<std::string, Group>> groups;
  for (size_t i = 0; i < offers.size(); ++i) {
    const std::string identity = place.identity(*offers[i].item);
    auto at = std::ranges::find(groups, identity, &std::pair<std::string, Group>::first);
    if (at == groups.end()) {
      const std::string same = place.same(*offers[i].item, "e");
      at = groups.insert(
          at, {identity,
               {.found = Variable("found", Concat(place.list, ".filter(e, ", same, ")")), .offers = {}, .winner = {}}});
    }
    at->second.offers.push_back(i);
  }
  std::vector<std::string> patches(offers.size());
  for (auto& [identity, group] : groups) {
    const std::string none = Concat("size(", group.found, ") == 0");
    std::vector<std::string> may;
    for (const size_t i : group.offers) {
      const bool replaces = rules_[offers[i].rule]->override_existing;
      const std::string equal = place.equal(*offers[i].item, Concat(group.found, "[0]"));
      may.push_back(All({MatchesSpec(offers[i].rule), replaces ? "true" : Any({none, equal})}));
    }
    group.winner = Variable("first", FirstOf(may));
    for (size_t k = 0; k < group.offers.size(); ++k) {
      const ListOffer& offer = offers[group.offers[k]];
      const std::string wins = Concat(group.winner, " == ", std::to_string(k));
      std::string& patch = patches[group.offers[k]];
      patch = PatchIf(All({wins, none}), "add", CelText(place.pointer + "/-"), CelValue(*offer.item));
      if (rules_[offer.rule]->override_existing) {
        const std::string index =
            Concat("string(", place.list, ".transformList(i, e, ", place.same(*offer.item, "e"), ", i)[0])");
        const std::string differs = All({Not(none), Not(place.equal(*offer.item, Concat(group.found, "[0]")))});
        patches_.push_back(PatchIf(All({wins, differs}), "replace", Concat(CelText(place.pointer + "/"), " + ", index),
                                   CelValue(*offer.item)));
      }
      std::vector<size_t> as_wanted;
      for (size_t j = 0; j <= k; ++j) {
        if (place.equal(*offers[group.offers[j]].item, "e") == place.equal(*offer.item, "e")) as_wanted.push_back(j);
      }
      in_effect_[offer.rule].push_back(OneOf(group.winner, as_wanted));
    }
  }
  std::ranges::move(patches, std::back_inserter(patches_));
}

void PolicyWriter::WriteRecord() {
  std::vector<std::pair<std::string, std::string>> applied;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const std::string in_effect = All({Matches(i), Any(in_effect_[i])});
    applied.emplace_back(rules_[i]->name, Concat(in_effect, " ? ", CelText(rules_[i]->Version()), " : ''"));
  }
  const auto joined = [](std::vector<std::pair<std::string, std::string>>& parts) {
    std::ranges::sort(parts);
    std::string list = "[";
    for (size_t i = 0; i < parts.size(); ++i) list += Concat(i == 0 ? "" : ", ", parts[i].second);
    return Concat(list, "].filter(e, e != '').join(',')");
  };
  const std::string record = Variable("applied", joined(applied));
  const std::string before = before_.empty() ? "" : Variable("before", joined(before_));
  // Something may have been set that is in effect for nobody only where nothing was set.
  const std::string some = Concat(record, " != ''");
  annotated_.push_back(some);
  parents_.insert(parents_.begin(), PatchIf(All({"!has(object.metadata.annotations)", Any(annotated_)}), "add",
                                            "'/metadata/annotations'", "{}"));
  const auto pointer = [](std::string_view annotation) {
    return CelText(Concat("/metadata/annotations/", rules::PointerPart(annotation)));
  };
  patches_.push_back(PatchIf(some, "add", pointer(rules::kAppliedAnnotation), record));
  if (!before.empty()) {
    patches_.push_back(PatchIf(Concat(before, " != ''"), "add", pointer(rules::kBeforeAnnotation),
                               Concat("'{' + ", before, " + '}'")));
  }
  std::vector<std::string> all = std::move(parents_);
  std::ranges::move(patches_, std::back_inserter(all));
  patch_ = SumOf(all);
}

}  // namespace huygens::rule_policies
