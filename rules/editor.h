// The object that rules are applied to, one after the other: who set what, who came too late, and what was there before
// any rule. Any thread.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "rules/object_write.h"
#include "rules/record.h"
#include "rules/rule.h"

namespace huygens::rules {

// A value that differs from what the object said. Fields: "labels/pool", "requests/CONTAINER/cpu", "tolerations/KEY".
struct FieldChange {
  const SchedulingRule* rule = nullptr;
  std::string field;
  std::string before, after;  // as people read it; before is empty where nothing was there
};

struct FieldConflict {
  const SchedulingRule* rule = nullptr;  // whose value lost
  const SchedulingRule* with = nullptr;  // to the value of this one; null: to the object's own
  std::string field, wanted, kept;
};

class Editor {
 public:
  // `subject` must outlive it. What rules set before in what this write can reach is taken back at once.
  explicit Editor(const Subject& subject);

  const Subject& subject() const { return subject_; }
  Tree& object() { return object_; }
  // Of the pod, the node, or the pods that a controller makes.
  Tree& metadata();
  Tree& pod_spec();
  // A member that must be an object or a list; made where it is not there. One of another kind is a fault, and then
  // nothing that is done counts.
  Tree& ObjectIn(Tree& holder, std::string_view key);
  Tree& ListIn(Tree& holder, std::string_view key);
  const Status& fault() const { return fault_; }

  // From here on it is this rule that changes.
  void Begin(const SchedulingRule& rule);
  // Whether something is now as the rule says.
  bool in_effect() const { return in_effect_; }
  size_t conflicts_of_rule() const { return conflicts_of_rule_; }

  // Sets a text in `holder`, unless a rule did before, or it has another value already that may not be replaced. A value
  // that is `unset` counts as none.
  void SetText(Tree& holder, std::string_view key, std::string field, std::string_view wanted, bool may_replace,
               std::string_view unset = {});
  // Of an amount of a pod that a rule leaves as it is, or that is not there: what another webhook makes of it after rules is then known for
  // a change when the API server asks anew.
  void RememberAsItIs(const std::string& field, const std::optional<std::string>& value);
  // Adds to a list, unless one that is the `same` is in it, which is replaced if it may be. Both are compared as
  // `plainly` has them.
  void AddToList(Tree& list, const Tree& item, std::string field, const std::function<bool(const Tree&)>& same,
                 const std::function<Tree(const Tree&)>& plainly, bool may_replace);
  // A taint of a node, which is the same by key and effect.
  void SetTaint(const Tree& taint, bool may_replace);
  bool IsClaimed(std::string_view field) const { return claims_.contains(field); }
  // Whether the rule may go on: nobody has set the field yet. Otherwise it is in effect, or has lost.
  bool MayClaim(const std::string& field, std::string_view wanted);
  void Lose(std::string field, std::string_view wanted, std::string_view kept, const SchedulingRule* with);
  void InEffect() { in_effect_ = true; }
  // Something was added that nobody else can want otherwise.
  void NoteAddition(std::string field, const Tree& added);

  // Writes both annotations: `applied` are the rules in effect; `find_rule` has those that an earlier record may name.
  void WriteRecord(const std::vector<const SchedulingRule*>& applied,
                   const std::function<const SchedulingRule*(std::string_view)>& find_rule);

  std::vector<FieldChange> TakeChanges() { return std::move(changes_); }
  std::vector<FieldConflict> TakeConflicts() { return std::move(conflicts_); }

 private:
  struct Claim {
    const SchedulingRule* rule = nullptr;
    std::string value;
  };

  std::string AnnotationBefore(std::string_view key) const;
  // Where in the object a field is; null: there is no such place.
  struct Place {
    Tree* holder = nullptr;
    std::string_view key;
  };
  Place PlaceOf(std::string_view field);
  TextSet AmountsOfOthers();
  void TakeBack();
  void Restore(const Replaced& replaced);
  void RestoreTaint(std::string_view key_and_effect, const Replaced& replaced);
  bool Reaches(std::string_view section) const;
  bool Stays(const SchedulingRule* rule, bool whole) const;
  void TakeField(const std::string& field, std::string wanted, std::string before, bool changed);
  void SetAnnotation(std::string_view key, const std::string& text);

  const Subject& subject_;
  Tree object_;
  std::deque<Tree> scratch_;  // in place of what has the wrong kind
  Before before_;
  Status fault_;
  bool amounts_of_others_ = false;  // that another webhook made of ours
  const SchedulingRule* rule_ = nullptr;
  bool in_effect_ = false;
  size_t conflicts_of_rule_ = 0;
  TextMap<Claim> claims_;
  std::vector<FieldChange> changes_;
  std::vector<FieldConflict> conflicts_;
};

// What a rule injects beyond the record, as far as the write reaches.
void InjectMetadata(Editor& editor, const SchedulingRule& rule);
void InjectResources(Editor& editor, const SchedulingRule& rule);
void InjectPlacement(Editor& editor, const SchedulingRule& rule);
void InjectNode(Editor& editor, const SchedulingRule& rule);

}  // namespace huygens::rules
