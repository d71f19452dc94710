#include "controller/quota_news.h"

#include <map>

#include "base/text.h"
#include "controller/filled_budgets.h"
#include "quota/keys.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaTransfer;

enum class Level : uint8_t { kEnough, kNearlyFull, kSpent };  // the last of hours alone

Level LevelOf(const std::map<std::string, Level>& levels, const std::string& key) {
  const auto found = levels.find(key);
  return found == levels.end() ? Level::kEnough : found->second;
}

std::map<std::string, Level> LevelsOf(const BizGroupQuota& group) {
  const quota::Amounts budget = quota::NormalKeys(group.hard), used = quota::NormalKeys(group.used);
  std::map<std::string, Level> levels;
  for (const observe::FilledBudget& each : FilledBudgets(group)) {
    const bool spent = quota::IsCash(each.key) && quota::Get(used, each.key) >= quota::Get(budget, each.key);
    levels[each.key] = spent ? Level::kSpent : Level::kNearlyFull;
  }
  return levels;
}

}  // namespace

std::vector<QuotaNews> NewsOf(const BizGroupQuota& before, const BizGroupQuota& after) {
  const std::map<std::string, Level> was = LevelsOf(before), is = LevelsOf(after);
  const quota::Amounts used = quota::NormalKeys(after.used);
  std::vector<QuotaNews> news;
  for (const auto& [key, hard] : quota::NormalKeys(after.hard)) {
    const Level old_level = LevelOf(was, key), level = LevelOf(is, key);
    const std::string figures = Concat(key, " used ", quota::Get(used, key).Canonical(), " of ", hard.Canonical());
    if (level == Level::kSpent && old_level != Level::kSpent) {
      news.push_back({"HoursSpent", Concat(figures, ": no new pod begins, those that run go on"), key});
    } else if (level == Level::kNearlyFull && old_level == Level::kEnough) {
      news.push_back({"BudgetNearlyFull", figures, key});
    } else if (level != Level::kSpent && old_level == Level::kSpent) {
      news.push_back({"HoursAvailable", figures, key, /*warning=*/false});
    }
  }
  return news;
}

std::optional<QuotaNews> NewsOf(const QuotaTransfer& before, const QuotaTransfer& after) {
  if (before.phase == after.phase) return std::nullopt;
  const std::string why = after.message.empty() ? "" : Concat(": ", after.message);
  switch (after.phase) {
    case QuotaTransfer::Phase::kOverdue:
      return QuotaNews{"TransferOverdue", Concat("bizrq/", after.to, " still uses what it was lent", why), ""};
    case QuotaTransfer::Phase::kRefused:
      return QuotaNews{"TransferRefused", Concat("it cannot be carried out", why), ""};
    case QuotaTransfer::Phase::kReturned:
      return QuotaNews{"TransferReturned", Concat("bizrq/", after.from, " has its budget back", why), "", false};
    default:
      return std::nullopt;
  }
}

QuotaNews NewsOfDrift(const quota::Amounts& drift) {
  return {"QuotaDrift",
          Concat("the status said something else than there is, and was put right; too much was ", TextOf(drift)), ""};
}

std::string TextOf(const quota::Amounts& amounts) {
  std::string text;
  for (const auto& [key, amount] : amounts) text += Concat(text.empty() ? "" : ", ", key, " ", amount.Canonical());
  return text;
}

}  // namespace huygens::controller
