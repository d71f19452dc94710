// What people are told of groups and transfers, by an Event where something has changed: budgets that are nearly used up,
// hours that are spent or there again, figures that were wrong, loans that are overdue or back. By what is stored before
// and after: whoever begins to lead tells nothing again. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/biz_group_quota.h"
#include "cluster/quota_transfer.h"
#include "quota/amounts.h"

namespace huygens::controller {

struct QuotaNews {
  std::string reason;  // of the Event
  std::string message;
  std::string about;    // what makes it the same as an earlier one of this reason and object: a key of the budget
  bool warning = true;  // else good news
};

// In the order of keys. From nine tenths on a budget is nearly used up, if workloads of the group itself use some of it
// (controller/filled_budgets.h).
std::vector<QuotaNews> NewsOf(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after);
std::optional<QuotaNews> NewsOf(const cluster::QuotaTransfer& before, const cluster::QuotaTransfer& after);
// `drift`: what the status said more than there was, below zero: less.
QuotaNews NewsOfDrift(const quota::Amounts& drift);

// Where it is told. Best effort; a sink limits how often.
class NewsSink {
 public:
  virtual ~NewsSink() = default;
  virtual void Tell(const cluster::BizGroupQuota& group, const QuotaNews& news) = 0;
  virtual void Tell(const cluster::QuotaTransfer& transfer, const QuotaNews& news) = 0;
};

// "limits.cpu 2, pods 1".
std::string TextOf(const quota::Amounts& amounts);

}  // namespace huygens::controller
