// The transfers of budget between groups as they were last seen or written, and what they keep from use. Owned by one
// thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "cluster/quota_transfer.h"
#include "quota/amounts.h"
#include "quota/tree.h"

namespace huygens::controller {

// Whether the budget of the group is one that the transfer changes, or that pays for it.
bool Names(const cluster::QuotaTransfer& transfer, std::string_view group);

class KnownTransfers {
 public:
  // Of one with a defect only the defect is taken, if it is known: it holds what it held. False: it is as old as the one
  // that is known, or older, and was passed over.
  bool Set(cluster::QuotaTransfer transfer);
  void Remove(std::string_view name) { transfers_.erase(transfers_.find(name)); }

  // Null: there is none. Valid until the next change.
  const cluster::QuotaTransfer* Find(std::string_view name) const;
  const cluster::QuotaTransfer* ByUid(std::string_view uid) const;
  void ForEach(absl::FunctionRef<void(const cluster::QuotaTransfer&)> visit) const;
  // What the group uses on account of all of them (quota::HeldIn), but the one of the UID `except`.
  quota::Amounts HeldBy(std::string_view group, const quota::Tree& tree, std::string_view except = "") const;

 private:
  std::map<std::string, cluster::QuotaTransfer, std::less<>> transfers_;
};

}  // namespace huygens::controller
