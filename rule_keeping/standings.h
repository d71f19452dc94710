// How each object that rules are for stands to them, which of them are to be repaired in place, and which pods are to
// move: what the watches said last, judged by one set of rules. An object that no rule is for is not kept. Pure: time is
// passed in. Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/label_selector.h"
#include "base/text.h"
#include "base/time.h"
#include "rules/standing.h"

namespace huygens::rule_keeping {

struct KeptObject {
  std::string kind, namespace_name, name, uid, resource_version;
  std::string node;  // that a pod is on
  rules::Standing standing;

  std::string Title() const;  // "Pod shop/cart-0"
};

// What is known of one rule.
struct RuleCount {
  int64_t matched = 0, carried = 0;
  int64_t pending = 0;                                               // objects that are going to be changed in place
  int64_t lacking = 0;                                               // pods that would have to be made anew
  int64_t misplaced = 0;                                             // of those, where they may not be
  std::map<std::pair<std::string, std::string>, int64_t> conflicts;  // objects, by field and the rule that came first
};

class Standings {
 public:
  // Of a repair that failed, or that somebody takes back again and again.
  static constexpr Duration kFirstPause = std::chrono::seconds(5), kLongestPause = std::chrono::minutes(10);
  static constexpr int kRepairsInARow = 5;

  // Forgets all: another set of rules judges from now on. It is kept as long as the standings point into it.
  void Reset(std::shared_ptr<const rules::RuleSet> rules);
  const std::shared_ptr<const rules::RuleSet>& rules() const { return rules_; }

  void Set(KeptObject object, Duration now);
  void Remove(const std::string& uid);
  void SetNodeLabels(const std::string& node, Labels labels) { node_labels_[node] = std::move(labels); }
  void RemoveNode(const std::string& node) { node_labels_.erase(node); }

  // Which is to be repaired first of those that are due; nothing where none is.
  const KeptObject* NextToRepair(Duration now) const;
  // When the next will be due; nothing where none waits.
  std::optional<Duration> NextDue() const;
  // What was judged of this version was written, or could not be: another try comes after a pause that doubles. Nothing
  // comes of a repair that others take back more often than kRepairsInARow times within kLongestPause, until that is
  // over. The watch may have told of the version that was written before the answer came.
  void Repaired(const std::string& uid, std::string_view judged_version, bool succeeded, Duration now);
  // Whether somebody takes the repairs of this object back.
  bool IsContended(const std::string& uid) const;

  size_t size() const { return objects_.size(); }
  size_t to_repair() const { return due_.size(); }
  std::map<std::string, RuleCount> CountByRule() const;  // of every rule that is for something
  std::vector<rules::Violation> Violations() const;      // by namespace and name

 private:
  struct Try {
    Duration since{}, pause = kFirstPause, not_before{};
    int repairs = 0;
  };
  void Schedule(const std::string& uid, Duration when);
  void Unschedule(const std::string& uid);
  const Labels* LabelsOfNode(const std::string& node) const;

  std::shared_ptr<const rules::RuleSet> rules_ = std::make_shared<const rules::RuleSet>();
  std::map<std::string, KeptObject> objects_;  // by UID
  TextMap<Labels> node_labels_;
  std::set<std::pair<Duration, std::string>> due_;
  TextMap<Duration> due_at_;
  TextMap<Try> tries_;  // of objects that were repaired a short time ago
};

}  // namespace huygens::rule_keeping
