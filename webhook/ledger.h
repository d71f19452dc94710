// What is used of each group, as a webhook that writes its charges down knows it: the objects as they were last seen or
// written, and besides what is on its way to them. A charge on its way counts at once, so that of two reviews that
// arrive together each sees what the other takes.
//
// The status of a group says what is used of it: whoever charged wrote it there, and only the controller takes back.
// Where children are known that are not in the status yet they count, too. Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"
#include "quota/tree.h"
#include "webhook/judgement.h"

namespace huygens::webhook {

class Ledger {
 public:
  // What this instance keeps of groups ahead of need (advances/advance.h) does not count as used here. `recalled` is told
  // of each object that is taken in with such an advance and a recall; it must not ask anything of the ledger at once.
  void KeepsAdvances(std::string instance, std::function<void(const std::string& group)> recalled);
  // An object that is no newer than the one known is passed over.
  void Set(cluster::BizGroupQuota object);
  void Remove(std::string_view name);
  // Removes all others: those that an answer told of while nobody watched.
  void KeepOnly(const std::set<std::string, std::less<>>& names);
  // Of what an API server answers to a question that was asked when `removals` was so many: a group that the watch has
  // told to be gone since does not come back by it. False: it was passed over.
  bool SetAnswer(cluster::BizGroupQuota object, uint64_t removals);
  uint64_t removals() const { return removals_; }

  // From the answer of a judge until it is written, or given up. Each Hold is followed by one LetGo of the same charge.
  void Hold(const Charge& charge);
  void LetGo(const Charge& charge);

  const quota::Tree& tree() const { return tree_; }
  // Null for a group that is not there. As the API server has it, without what is on its way.
  const cluster::BizGroupQuota* Find(std::string_view group) const;
  // All that is reserved in the group for the object of this UID: more than what is known of the object, if it is about
  // to grow, and nothing for most.
  quota::Amounts Reserved(std::string_view group, std::string_view uid) const;

 private:
  struct Held {
    Charge charge;
    bool in_tree = true;  // else the status says already that it is used
  };
  struct Entry {
    cluster::BizGroupQuota object;
    bool there = false;
    quota::Amounts own;  // charged to the tree by the status
    std::vector<Held> held;
  };

  // Charges what the status says is used besides the children that the tree knows, and what is held and not in it.
  void Refresh(std::string_view name);
  void RefreshHeld(Entry& entry);
  // Nothing changes nothing: the tree would make a group of any name that is charged.
  void ChargeTree(std::string_view name, const quota::Amounts& amounts);
  void ReleaseTree(std::string_view name, const quota::Amounts& amounts);

  std::string instance_;
  std::function<void(const std::string&)> recalled_;
  quota::Tree tree_;
  std::map<std::string, Entry, std::less<>> entries_;
  uint64_t removals_ = 0;
};

}  // namespace huygens::webhook
