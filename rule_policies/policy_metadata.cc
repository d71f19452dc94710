// Labels and annotations, and the taints of nodes.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "rule_policies/cel.h"
#include "rule_policies/policy_writer.h"

namespace huygens::rule_policies {

using rules::SchedulingRule;
using rules::Shape;

void PolicyWriter::WriteMetadata() {
  WriteTexts("variables.pod_labels", "labels", true);
  WriteTexts("variables.pod_annotations", "annotations", false);
}

void PolicyWriter::WriteTexts(const std::string& map, std::string_view section, bool of_labels) {
  std::map<std::string, std::vector<TextOffer>> keys;
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const auto& members = of_labels ? rules_[i]->injection.labels : rules_[i]->injection.annotations;
    for (const auto& [key, value] : members) {
      // The labels of a pod that has an owner are what its controller finds it by.
      const std::string_view free =
          of_labels && kind_.shape == Shape::kPod ? "size(variables.owners) == 0" : std::string_view("true");
      keys[key].push_back({i, value, std::string(rules_[i]->override_existing ? free : "false")});
    }
    if (!members.empty()) matching.push_back(Matches(i));
  }
  if (keys.empty()) return;
  const std::string pointer = PodPointer(Concat("metadata/", section));
  if (kind_.shape == Shape::kController) {
    MakeParent(Concat("!has(", PodPath("metadata"), ")"), Any(matching), PodPointer("metadata"), "{}");
    MakeParent(Concat("!has(variables.metadata.", section, ")"), Any(matching), pointer, "{}");
  } else if (of_labels) {
    MakeParent("!has(object.metadata.labels)", Any(matching), pointer, "{}");
  } else {
    annotated_.insert(annotated_.end(), matching.begin(), matching.end());  // the record is there, too
  }
  for (const auto& [key, offers] : keys) {
    const std::string text = CelText(key);
    TextPlace place{.field = Concat(section, "/", key),
                    .present = Concat("(", text, " in ", map, ")"),
                    .value = Concat(map, "[", text, "]"),
                    .unset = "",
                    .set = {}};
    if (of_labels && kind_.shape == Shape::kController) {
      place.open = Concat("!(has(object.spec.selector) && ((has(object.spec.selector.matchLabels) && ", text,
                          " in object.spec.selector.matchLabels) || (has(object.spec.selector.matchExpressions) && "
                          "object.spec.selector.matchExpressions.exists(e, e.key == ",
                          text, "))))");
    }
    place.set = [&](const std::string& condition, const std::string& value) {
      return std::vector{PatchIf(condition, "add", CelText(Concat(pointer, "/", rules::PointerPart(key))), value)};
    };
    WriteTexts(place, offers);
  }
}

void PolicyWriter::WriteTaints() {
  std::vector<std::pair<const rules::Tree*, std::vector<TextOffer>>> taints;  // by key and effect, as they come
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    for (const rules::Tree& taint : rules_[i]->injection.taints) {
      auto at = std::ranges::find_if(taints, [&](const auto& each) {
        return each.first->TextOf("key") == taint.TextOf("key") &&
               each.first->TextOf("effect") == taint.TextOf("effect");
      });
      if (at == taints.end()) at = taints.insert(at, {&taint, {}});
      at->second.push_back({i, std::string(taint.TextOf("value")), rules_[i]->override_existing ? "true" : "false"});
    }
    if (!rules_[i]->injection.taints.empty()) matching.push_back(Matches(i));
  }
  if (taints.empty()) return;
  variables_.emplace_back("taints", "has(object.spec.taints) ? object.spec.taints : []");
  MakeParent("!has(object.spec.taints)", Any(matching), "/spec/taints", "[]");
  for (const auto& [taint, offers] : taints) {
    const std::string key = CelText(taint->TextOf("key")), effect = CelText(taint->TextOf("effect"));
    const std::string same = Concat("e.key == ", key, " && e.effect == ", effect);
    const std::string found = Variable("found", Concat("variables.taints.filter(e, ", same, ")"));
    const std::string none = Concat("size(", found, ") == 0");
    TextPlace place{.field = Concat("taints/", taint->TextOf("key"), ":", taint->TextOf("effect")),
                    .present = Concat("(size(", found, ") > 0)"),
                    .value = Concat("(has(", found, "[0].value) ? ", found, "[0].value : '')"),
                    .unset = {},
                    .set = {}};
    place.set = [&](const std::string& condition, const std::string& value) {
      const std::string index = Concat("string(variables.taints.transformList(i, e, ", same, ", i)[0])");
      return std::vector{
          PatchIf(All({condition, none}), "add", "'/spec/taints/-'",
                  Concat("{'key': dyn(", key, "), 'value': dyn(", value, "), 'effect': dyn(", effect, ")}")),
          PatchIf(All({condition, Not(none)}), "add", Concat("'/spec/taints/' + ", index, " + '/value'"), value)};
    };
    WriteTexts(place, offers);
  }
}

}  // namespace huygens::rule_policies
