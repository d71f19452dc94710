#include "cli/rule_compilation.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "rule_policies/compile.h"

ABSL_FLAG(std::string, own_namespace, "", "where huygens runs, which no rule is for, besides kube-system");

namespace huygens::cli {

int PrintCompiledRules(const rule_reports::RuleFiles& files) {
  std::vector<std::string> own;
  if (std::string name = absl::GetFlag(FLAGS_own_namespace); !name.empty()) own.push_back(std::move(name));
  const rule_policies::Compiled compiled = rule_policies::Compile(files.rules, own);
  std::string items;
  for (const rule_policies::Policy& each : compiled.policies) {
    items += Concat(items.empty() ? "" : ",\n", each.policy.Json(), ",\n", each.binding.Json());
  }
  const std::string text = Concat(R"({"apiVersion":"v1","kind":"List","items":[)", "\n", items, "\n]}\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  for (const rule_policies::Refusal& each : compiled.refused) {
    std::fputs(Concat(each.rule, ": not compiled: ", each.reason, "\n").c_str(), stderr);
  }
  return compiled.refused.empty() ? kOk : kFailed;
}

}  // namespace huygens::cli
