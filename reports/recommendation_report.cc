#include "reports/recommendation_report.h"

#include <cstdio>
#include <optional>
#include <string_view>

#include "base/quantity.h"
#include "base/text.h"
#include "reports/table.h"

namespace huygens::reports {

namespace {

using admin_api::RecommendationListDocument;
using admin_api::RecommendationRow;
using admin_api::RecommendedAmount;

std::string PercentOf(const std::optional<double>& share) {
  if (!share) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", *share * 100);
  return text;
}

std::string TargetText(const RecommendationRow& row) {
  if (row.dimension == "namespace") return Concat(row.namespace_name, " (namespace)");
  const std::string kind = row.dimension == "pod" ? "Pod" : row.kind;
  return Concat(row.namespace_name, "/", kind, "/", row.target);
}

void AddResource(Table& table, const RecommendationRow& row, std::string_view resource,
                 const RecommendedAmount& amount) {
  const bool first = resource == "cpu";
  table.AddRow({first ? TargetText(row) : "\"", first ? row.pool : "\"", std::string(resource), amount.original,
                amount.requested, amount.p50, amount.p95, amount.most, amount.fixed, amount.recommended,
                PercentOf(amount.saving), first ? row.reason : "\""});
}

// What all pods together would leave free, in the unit of the resource; nothing: it is of none known.
struct Saved {
  double original = 0, recommended = 0;

  void Add(const RecommendedAmount& amount, int64_t pods) {
    const auto is = Quantity::Parse(amount.original), fit = Quantity::Parse(amount.recommended);
    if (!is.ok() || !fit.ok()) return;
    original += static_cast<double>(is->MilliValue()) / 1000 * static_cast<double>(pods);
    recommended += static_cast<double>(fit->MilliValue()) / 1000 * static_cast<double>(pods);
  }
};

std::string SumText(const Saved& saved, std::string_view resource, double unit, std::string_view of) {
  if (saved.original <= 0) return "";
  char text[160];
  std::snprintf(
      text, sizeof text, "%.*s: %.1f%.*s asked for by running pods at first, %.1f%.*s would do (%.0f%% less)\n",
      static_cast<int>(resource.size()), resource.data(), saved.original / unit, static_cast<int>(of.size()), of.data(),
      saved.recommended / unit, static_cast<int>(of.size()), of.data(), 100 * (1 - saved.recommended / saved.original));
  return text;
}

}  // namespace

std::string RecommendationsText(const RecommendationListDocument& document) {
  if (document.recommendations.empty()) return "no recommendation matches\n";
  Table table({"TARGET", "POOL", "RESOURCE", "ORIGINAL", "NOW", "P50", "P95", "MAX", "STATIC", "RECOMMENDED", "SAVING",
               "APPLIED"});
  Saved cpu, memory;
  std::string why;
  for (const RecommendationRow& row : document.recommendations) {
    AddResource(table, row, "cpu", row.cpu);
    AddResource(table, row, "memory", row.memory);
    if (row.dimension == "workload") {
      cpu.Add(row.cpu, row.pods);
      memory.Add(row.memory, row.pods);
    }
    if (!row.message.empty()) why += Concat("  ", TargetText(row), ": ", row.reason, ", ", row.message, "\n");
  }
  std::string text = table.Text();
  if (!why.empty()) text += Concat("\nwhy:\n", why);
  const std::string sums = Concat(SumText(cpu, "cpu", 1, " cores"), SumText(memory, "memory", 1 << 30, "Gi"));
  if (!sums.empty()) text += Concat("\n", sums);
  if (document.more > 0) text += Concat("\nand ", std::to_string(document.more), " more\n");
  return text;
}

}  // namespace huygens::reports
