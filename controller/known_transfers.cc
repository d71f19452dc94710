#include "controller/known_transfers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "quota/transfer.h"
#include "wire/object_meta.h"

namespace huygens::controller {

using cluster::QuotaTransfer;

bool Names(const QuotaTransfer& transfer, std::string_view group) {
  const auto names = [&](const std::vector<std::string>& groups) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  return transfer.from == group || transfer.to == group || transfer.common == group || names(transfer.shrinking) ||
         names(transfer.growing);
}

bool KnownTransfers::Set(QuotaTransfer transfer) {
  QuotaTransfer& known = transfers_[transfer.name];
  const bool same = known.uid == transfer.uid;
  const uint64_t version = wire::ParseResourceVersion(transfer.resource_version);
  if (same && version != 0 && version <= wire::ParseResourceVersion(known.resource_version)) return false;
  if (same && !transfer.defect.empty()) {
    known.defect = std::move(transfer.defect);
    known.resource_version = std::move(transfer.resource_version);
  } else {
    known = std::move(transfer);
  }
  return true;
}

const QuotaTransfer* KnownTransfers::Find(std::string_view name) const {
  const auto found = transfers_.find(name);
  return found == transfers_.end() ? nullptr : &found->second;
}

const QuotaTransfer* KnownTransfers::ByUid(std::string_view uid) const {
  const auto found =
      std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& each) { return each.second.uid == uid; });
  return found == transfers_.end() ? nullptr : &found->second;
}

void KnownTransfers::ForEach(absl::FunctionRef<void(const QuotaTransfer&)> visit) const {
  for (const auto& [name, transfer] : transfers_) visit(transfer);
}

quota::Amounts KnownTransfers::HeldBy(std::string_view group, const quota::Tree& tree, std::string_view except) const {
  std::vector<quota::Hold> holds;
  for (const auto& [name, transfer] : transfers_) {
    if (transfer.uid == except) continue;
    quota::Hold hold = quota::HoldOf(transfer, tree);
    if (hold.group == group) holds.push_back(std::move(hold));
  }
  return quota::HeldIn(group, holds, tree);
}

}  // namespace huygens::controller
