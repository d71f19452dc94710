// Rules, namespaces and PriorityClasses of a directory of manifests, read once. Blocking; one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "rule_objects/known_rules.h"

namespace huygens::rule_objects {

class ManifestRules final : public KnownRules {
 public:
  // Other objects are passed over. The error has a line for each object that cannot be read; a rule that cannot be used
  // is none.
  Status Load(const std::string& directory);

  std::shared_ptr<const rules::RuleSet> rules() const override { return rules_; }
  const Labels* NamespaceLabels(std::string_view name) const override;
  // Those that Kubernetes itself makes are always there.
  bool HasPriorityClass(std::string_view name) const override;
  std::string NotReady() const override { return {}; }

 private:
  std::shared_ptr<const rules::RuleSet> rules_ = std::make_shared<const rules::RuleSet>();
  TextMap<Labels> namespaces_;
  TextSet classes_ = {"system-cluster-critical", "system-node-critical"};
};

}  // namespace huygens::rule_objects
