#include "settings/configuration.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "settings/scalar.h"
#include "settings/unwise.h"

namespace huygens::settings {

std::vector<std::string> Cautions(const Configuration& c) {
  if (IsOnlyFor("webhook", c)) return UnwiseForWebhook(c);
  if (IsOnlyFor("controller", c)) return {};
  std::vector<std::string> cautions;
  const auto& prometheus = c.usage.prometheus;
  if (prometheus && IsPlainHttpToOthers(prometheus->url)) {
    const auto caution = [&](std::string_view field, std::string_view what) {
      cautions.push_back(
          Concat("usage.prometheus.", field, ": the ", what, " to ", prometheus->url, " unencrypted; use https"));
    };
    if (!prometheus->bearer_token_file.empty()) caution("bearerTokenFile", "token goes");
    if (!prometheus->username.empty()) caution("passwordFile", "password goes");
    if (!prometheus->headers.empty()) caution("headers", "headers go");
  }
  for (const UsageResource& each : c.usage.resources) {
    if (!each.ceiling || prometheus || !c.cluster.kubernetes || each.name == "cpu" || each.name == "memory") continue;
    cautions.push_back(
        Concat("usage.resources: the ceiling on ", each.name,
               " has nothing to go by, for the metrics API does not measure it; that takes usage.prometheus"));
  }
  const bool checked = placement::ModeOf(c.filter.checks, &policy::Needs::budgets) != policy::CheckMode::kOff;
  if (checked && c.quota.enforcement == quota::Enforcement::kAdmission) {
    cautions.emplace_back(
        "quota.enforcement: admission leaves budgets to an admission webhook. Where neither huygens webhook and "
        "huygens controller (docs/admission.md) nor one of yours guards the cluster, nobody holds pods to budgets; "
        "placement has huygens do it");
  }
  std::ranges::move(UnwiseSettings(c), std::back_inserter(cautions));
  return cautions;
}

}  // namespace huygens::settings
