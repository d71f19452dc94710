#include "reports/quota_advice.h"

#include <algorithm>

#include "absl/strings/str_replace.h"
#include "base/quantity.h"
#include "base/text.h"
#include "policy/explained.h"
#include "reports/quota_report.h"

namespace huygens::reports {

namespace {

using admin_api::PodQuotaDocument;
using policy::Reason;

constexpr std::string_view kOfParent = " (what its parent has left: `huygens quota tree`)";

// "limits.cpu.A5": the keys that refuse it and of which its own group may use nothing at all.
std::string NothingOf(const PodQuotaDocument& quota) {
  std::string keys;
  for (const PodQuotaDocument::Shortage& each : quota.shortages) {
    if (each.group == quota.group && each.hard == "0") keys += Concat(keys.empty() ? "" : ", ", each.key);
  }
  return keys;
}

// "limits.cpu 2": what the budgets of its own group lack.
std::string LeastMore(const PodQuotaDocument& quota) {
  std::string more;
  for (const PodQuotaDocument::Shortage& each : quota.shortages) {
    if (each.group == quota.group && !each.over.empty()) {
      more += Concat(more.empty() ? "" : " and ", each.key, " ", each.over);
    }
  }
  return more;
}

// "a pod of limits.cpu 6 or less": where one budget of its own group is what it lacks.
std::string SmallerPod(const PodQuotaDocument& quota) {
  if (quota.shortages.size() != 1) return "";
  const PodQuotaDocument::Shortage& shortage = quota.shortages.front();
  auto fits = Quantity::Parse(shortage.requested);
  const auto over = Quantity::Parse(shortage.over);
  if (shortage.group != quota.group || shortage.key.starts_with("cash/") || !fits.ok() || !over.ok()) return "";
  fits->Sub(*over);
  return fits->Sign() > 0 ? Concat("a pod of ", shortage.key, " ", fits->Canonical(), " or less") : std::string();
}

// "bizrq/search is over its budget by limits.cpu 5"; empty if no group above is.
std::string OverAbove(const PodQuotaDocument& quota) {
  std::string over, group;
  for (const PodQuotaDocument::Shortage& each : quota.shortages) {
    if (each.group == quota.group || each.over.empty()) continue;
    group = each.group;
    over += Concat(over.empty() ? "" : ", ", each.key, " ", each.over);
  }
  return over.empty() ? over : Concat("bizrq/", group, " is over its budget by ", over);
}

// With the labels alone that the pod has.
std::string OtherModelAdvice(const PodQuotaDocument& quota) {
  std::string labels, of_nodes, settings;
  for (const auto& [kind, model] : {std::pair("cpu", &quota.models.cpu), std::pair("gpu", &quota.models.gpu),
                                    std::pair("memory", &quota.models.memory)}) {
    if (model->empty()) continue;
    const std::string_view between = labels.empty() ? "" : " or ";
    labels += Concat(between, "biz.group.resource.quota/", kind, "-type (", *model, ")");
    of_nodes += Concat(between, "huygens.dev/", kind, "-model");
    settings += Concat(between, "quota.", kind, "ModelLabel");
  }
  return labels.empty() ? labels
                        : Concat("mend the pod's label ", labels, ", or the nodes' label ", of_nodes, " (or what ",
                                 settings, " names instead); upper and lower case differ.");
}

bool HasPods(const PodQuotaDocument& quota) {
  return std::ranges::any_of(quota.used_by,
                             [&](const auto& use) { return use.group != quota.group && !use.pods.empty(); });
}

}  // namespace

std::string QuotaAdvice(Reason reason, const PodQuotaDocument& quota, std::string advice) {
  if (const std::string over = OverAbove(quota); reason == Reason::kQuotaAncestorOver && !over.empty()) {
    return Concat(over, ": raise its budget by as much, ",
                  HasPods(quota) ? "end pods of its own, which are named above, " : "",
                  "or lower what it has handed to its children; `huygens quota tree` marks them.");
  }
  if (const std::string labels = OtherModelAdvice(quota); reason == Reason::kQuotaOtherModel && !labels.empty()) {
    return labels;
  }
  if (reason != Reason::kQuotaExceeded) return advice;
  if (const std::string nothing = NothingOf(quota); !nothing.empty()) {
    advice =
        Concat("the group ", quota.group, " may use no ", nothing, ", whoever ends: its budget of that is 0. Raise it",
               kOfParent, ", or give the pod another group or model; `huygens quota explain POD` shows its keys.");
  } else if (AboveWholeBudget(quota)) {
    const bool has_children = std::ranges::any_of(quota.keys, [](const PodQuotaDocument::Cost& key) {
      return key.lacks && !key.children.empty() && key.children != "0";
    });
    advice = Concat("a larger budget", kOfParent,
                    " or a smaller pod: it asks for more than the group can spend itself, whoever ends",
                    has_children ? "; `huygens quota explain POD` shows what is handed to children." : ".");
  }
  if (const std::string least = LeastMore(quota); !least.empty()) {
    absl::StrReplaceAll({{std::string("a larger budget"), Concat("a budget larger by ", least, " at least")}}, &advice);
  }
  if (const std::string smaller = SmallerPod(quota); !smaller.empty()) {
    absl::StrReplaceAll({{std::string("a smaller pod"), smaller}}, &advice);
  }
  const bool is_root = !quota.path.empty() && GroupAbove(quota).empty();
  if (is_root) absl::StrReplaceAll({{std::string(kOfParent), ""}}, &advice);
  return advice;
}

std::string BudgetMustChange(const PodQuotaDocument& quota) {
  const std::string nothing = NothingOf(quota);
  const std::string text = nothing.empty()
                               ? std::string("its business group's budget must grow, or the pod ask for less")
                               : Concat("its business group ", quota.group, " may use no ", nothing,
                                        " (its budget of that is 0), and must be given some");
  return quota.model_nodes == 0
             ? Concat(text,
                      "; and no node is of the models that the pod's labels name: mend the labels, or the nodes', "
                      "first")
             : text;
}

}  // namespace huygens::reports
