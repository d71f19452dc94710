// Any bytes as a BizGroupResourceQuota and as a QuotaTransfer: what comes back has a name, ordered keys, and a budget that is no less than 0.
#include <algorithm>

#include "tests/fuzz/require.h"
#include "wire/biz_group_quota.h"
#include "wire/biz_group_schema.h"
#include "wire/quota_transfer.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckOrder(const cluster::QuotaAmounts& amounts) {
  auto not_ascending = [](const auto& a, const auto& b) { return a.first >= b.first; };
  Require(std::adjacent_find(amounts.begin(), amounts.end(), not_ascending) == amounts.end(), "keys ascend");
}

void CheckGroup(const StatusOr<cluster::BizGroupQuota>& group) {
  if (!group.ok()) {
    Require(!Message(group.status()).empty(), "an error has a message");
    return;
  }
  Require(!group->name.empty(), "a group has a name");
  Require(group->defect.empty() || group->hard.empty(), "an object with a defect has no budget");
  for (const auto& [key, amount] : group->hard) Require(amount.Sign() >= 0, "no budget is negative");
  CheckOrder(group->hard);
  CheckOrder(group->used);
  CheckOrder(group->self_used);
}

void CheckTransfer(const StatusOr<cluster::QuotaTransfer>& transfer) {
  if (!transfer.ok()) return Require(!Message(transfer.status()).empty(), "an error has a message");
  Require(!transfer->name.empty(), "a transfer has a name");
  CheckOrder(transfer->amounts);
  const auto again = wire::DecodeQuotaTransfer(wire::EncodeTransferStatus(*transfer));
  Require(again.ok() && again->phase == transfer->phase, "a status that is written is read as it was");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  huygens::CheckGroup(huygens::wire::DecodeBizGroupQuota(json));
  for (const std::string& fault : huygens::wire::BizGroupQuotaFaults(json))
    huygens::fuzz::Require(!fault.empty(), "a fault has a text");
  huygens::CheckTransfer(huygens::wire::DecodeQuotaTransfer(json));
  return 0;
}
