#include "quota/transfer.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaTransfer;
using Phase = QuotaTransfer::Phase;
using Kind = TransferStep::Kind;

// A reservation that is about to end is made anew before the write that relies on it.
constexpr Duration kReservationLeft = std::chrono::seconds(30);

TransferStep Simply(Kind kind) {
  TransferStep step;
  step.kind = kind;
  return step;
}

TransferStep Enter(QuotaTransfer transfer, Phase phase, std::string message = "") {
  TransferStep step = Simply(Kind::kWriteStatus);
  transfer.phase = phase;
  transfer.message = std::move(message);
  step.transfer = std::move(transfer);
  return step;
}

// Says why nothing can be done now, unless it is said already.
TransferStep WaitFor(const QuotaTransfer& transfer, Phase phase, std::string message) {
  if (transfer.phase == phase && transfer.message == message) return {};
  return Enter(transfer, phase, std::move(message));
}

bool IsMarked(const Tree& tree, const std::string& name, const QuotaTransfer& transfer) {
  const Group* group = tree.Find(name);
  return group && group->object->transfers.contains(transfer.uid);
}

// The groups whose budgets change, in the order in which they do. How many have is told by the last one that is marked:
// one before it without a mark has gone, and come again perhaps.
class Way {
 public:
  Way(const QuotaTransfer& transfer, const Tree& tree) : transfer_(transfer) {
    names_ = transfer.shrinking;
    names_.insert(names_.end(), transfer.growing.begin(), transfer.growing.end());
    for (size_t i = 0; i < names_.size(); ++i) {
      if (IsMarked(tree, names_[i], transfer)) done_ = i + 1;
    }
  }

  size_t Count() const { return names_.size(); }
  size_t Done() const { return done_; }
  const std::string& Name(size_t index) const { return names_[index]; }
  bool Grows(size_t index) const { return index >= transfer_.shrinking.size(); }
  // Whose budget pays for a change of the one of this index, and gets what it gives back.
  const std::string& Above(size_t index) const {
    if (Grows(index)) return index == transfer_.shrinking.size() ? transfer_.common : names_[index - 1];
    return index + 1 == transfer_.shrinking.size() ? transfer_.common : names_[index + 1];
  }
  // Where the amounts are after so many changes; empty: with `from` or `to`.
  std::string_view Holder(size_t done) const {
    if (done == 0 || done == Count()) return "";
    return Grows(done - 1) ? std::string_view(names_[done - 1]) : std::string_view(Above(done - 1));
  }

 private:
  const QuotaTransfer& transfer_;
  std::vector<std::string> names_;
  size_t done_ = 0;
};

// The group, its parent and so on, up to a root.
std::vector<std::string> Ancestry(const Tree& tree, std::string name) {
  std::vector<std::string> names;
  while (!name.empty() && names.size() < kMaxDepth) {
    const Group* group = tree.Find(name);
    names.push_back(std::move(name));
    name = group ? group->object->parent : "";
  }
  return names;
}

// Finds the way, or says why there is none.
std::string FindWay(const Tree& tree, QuotaTransfer& transfer) {
  const std::vector<std::string> from = Ancestry(tree, transfer.from), to = Ancestry(tree, transfer.to);
  const auto common = std::find_first_of(from.begin(), from.end(), to.begin(), to.end());
  if (common == from.end()) {
    return Concat(transfer.from, " and ", transfer.to, " have no group above both");
  }
  transfer.common = *common;
  transfer.shrinking.assign(from.begin(), common);
  transfer.growing.assign(to.begin(), std::find(to.begin(), to.end(), *common));
  std::reverse(transfer.growing.begin(), transfer.growing.end());
  return "";
}

std::string FaultOf(const QuotaTransfer& transfer) {
  if (!transfer.defect.empty()) return transfer.defect;
  if (transfer.from == transfer.to) return "from and to are the same group";
  if (transfer.amounts.empty()) return "no amounts";
  for (const auto& [key, amount] : transfer.amounts) {
    if (!IsKnownKey(NormalKey(key))) return Concat(key, " is no key that a pod could be charged to");
    if (amount.Sign() <= 0) return Concat(key, " must be more than 0");
  }
  return "";
}

// Both limit what is moved: a key without a limit cannot be given and need not be had.
std::string KeysUnlimited(const Tree& tree, const std::string& name, const Amounts& amounts) {
  const std::vector<std::string> lacking = LackingKeys(tree.Find(name)->object->hard, amounts);
  return lacking.empty() ? "" : Concat("bizrq/", name, " does not limit ", absl::StrJoin(lacking, ", "));
}

// Why the group does not have the amounts left; empty: it has.
std::string Lacks(const Tree& tree, const std::string& name, const Amounts& amounts) {
  const Group* group = tree.Find(name);
  if (!group) return Concat("bizrq/", name, " does not exist");
  std::vector<std::string> faults;
  for (const auto& [key, amount] : amounts) {
    const Quantity* hard = Find(group->object->hard, key);
    if (!hard) continue;
    const Quantity* used = group->UsedOf(key);
    if (!used) {
      faults.push_back(Concat("nobody has counted ", key, " yet"));
      continue;
    }
    Quantity left = *hard;
    left.Sub(*used);
    if (left < amount) {
      faults.push_back(
          Concat(left.Canonical(), " of ", hard->Canonical(), " ", key, " left, ", amount.Canonical(), " wanted"));
    }
  }
  return faults.empty() ? "" : Concat("bizrq/", name, ": ", absl::StrJoin(faults, "; "));
}

// The budget of the group once the amounts are added or taken away: the keys that change.
Amounts Changed(const BizGroupQuota& group, const Amounts& amounts, bool more) {
  Amounts changed;
  for (const auto& [key, hard] : group.hard) {
    const Quantity* amount = Find(amounts, key);
    if (!amount) continue;
    Quantity now = hard;
    more ? now.Add(*amount) : now.Sub(*amount);
    Set(changed, key, now);
  }
  return changed;
}

bool IsReserved(const Group& payer, const std::string& uid, const Amounts& wanted, std::optional<Time> valid) {
  return std::any_of(payer.object->reservations.begin(), payer.object->reservations.end(), [&](const auto& each) {
    if (each.uid != uid || (valid && each.until < *valid)) return false;
    const Amounts reserved = NormalKeys(each.amounts);
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& entry) { return Get(reserved, entry.first) >= entry.second; });
  });
}

// What the payer must have reserved before the child's budget grows.
Amounts ToReserve(const Group& payer, const Group& child, const Amounts& amounts) {
  Amounts whole = child.committed;
  Add(whole, amounts);
  return Masked(whole, payer.object->hard);
}

class Mover {
 public:
  Mover(const QuotaTransfer& transfer, const Tree& tree, Time now)
      : transfer_(transfer), tree_(tree), now_(now), way_(transfer, tree), amounts_(NormalKeys(transfer.amounts)) {}

  TransferStep Next() {
    switch (transfer_.phase) {
      case Phase::kPending:
        return Begin();
      case Phase::kMoving:
        return Forward();
      case Phase::kLent:
        if (transfer_.deleting || Expired()) return Enter(transfer_, Phase::kReturning);
        return Until();
      case Phase::kReturning:
      case Phase::kOverdue:
        return Back();
      case Phase::kMoved:
      case Phase::kReturned:
      case Phase::kRefused:
        break;
    }
    return End();
  }

 private:
  bool Expired() const { return transfer_.until && *transfer_.until <= now_; }
  TransferStep Until() const {
    TransferStep step;
    step.look_again = transfer_.until;
    return step;
  }

  TransferStep Begin() {
    if (transfer_.deleting) return End();
    if (std::string fault = FaultOf(transfer_); !fault.empty()) return Enter(transfer_, Phase::kRefused, fault);
    if (Expired()) return Enter(transfer_, Phase::kRefused, "its time was over before it could begin");
    for (const std::string& name : {transfer_.from, transfer_.to}) {
      if (const Verdict standing = tree_.Standing(name); !standing.fits()) {
        return Waiting(Phase::kPending, Concat("bizrq/", name, ": ", standing.detail));
      }
      if (std::string why = KeysUnlimited(tree_, name, amounts_); !why.empty()) {
        return Enter(transfer_, Phase::kRefused, why);
      }
    }
    QuotaTransfer moving = transfer_;
    if (std::string why = FindWay(tree_, moving); !why.empty()) return Enter(transfer_, Phase::kRefused, why);
    if (!transfer_.finalizer) return Simply(Kind::kAddFinalizer);
    if (std::string why = Lacks(tree_, transfer_.from, amounts_); !why.empty()) return Waiting(Phase::kPending, why);
    return Enter(std::move(moving), Phase::kMoving);
  }

  TransferStep Forward() {
    const size_t done = way_.Done();
    if (done == way_.Count()) return Enter(transfer_, transfer_.until ? Phase::kLent : Phase::kMoved);
    if (transfer_.deleting || Expired()) return Enter(transfer_, Phase::kReturning);
    for (const std::string& name : {way_.Name(done), transfer_.to}) {
      if (const Verdict standing = tree_.Standing(name); !standing.fits()) {
        return Enter(transfer_, Phase::kReturning, Concat("bizrq/", name, ": ", standing.detail));
      }
    }
    return Change(done, true, Phase::kMoving);
  }

  TransferStep Back() {
    const size_t done = way_.Done();
    if (done == 0) return Enter(transfer_, Phase::kReturned, transfer_.message);
    const size_t index = done - 1;
    if (done < way_.Count() && transfer_.phase == Phase::kOverdue) return Enter(transfer_, Phase::kReturning);
    return Change(index, false, done == way_.Count() ? Phase::kOverdue : Phase::kReturning);
  }

  // Changes the budget of this index in the sense of the transfer, or back; where there is no room for it, waits.
  TransferStep Change(size_t index, bool forward, Phase waiting) {
    const std::string& name = way_.Name(index);
    const bool grows = way_.Grows(index) == forward;
    const std::string& payer = grows ? way_.Above(index) : name;
    if (std::string why = Lacks(tree_, payer, amounts_); !why.empty()) return Waiting(waiting, why);
    const Group* group = tree_.Find(name);
    if (!group) return Waiting(waiting, Concat("bizrq/", name, " does not exist"));
    if (grows) {
      if (auto step = Reserve(payer, name)) return *std::move(step);
      // What it gets is for the next one, and must not look free before that has it.
      const bool is_last = index == (forward ? way_.Count() - 1 : 0);
      if (!is_last) {
        if (auto step = Reserve(name, way_.Name(forward ? index + 1 : index - 1))) return *std::move(step);
      }
    }
    TransferStep step = Simply(Kind::kChangeBudget);
    step.group = name;
    step.hard = Changed(*group->object, amounts_, grows);
    step.marked = forward;
    return step;
  }

  // Nothing: it is reserved, or there is nobody to reserve it for.
  std::optional<TransferStep> Reserve(const std::string& payer, const std::string& name) const {
    const Group* child = tree_.Find(name);
    if (!child) return std::nullopt;
    Amounts reserved = ToReserve(*tree_.Find(payer), *child, amounts_);
    if (IsReserved(*tree_.Find(payer), child->object->uid, reserved, now_ + kReservationLeft)) return std::nullopt;
    TransferStep step = Simply(Kind::kReserve);
    step.group = name;
    step.payer = payer;
    step.reserved = std::move(reserved);
    return step;
  }

  // All is where it belongs: the marks go, then what kept the transfer.
  TransferStep End() {
    for (size_t i = 0; i < way_.Count(); ++i) {
      if (!IsMarked(tree_, way_.Name(i), transfer_)) continue;
      TransferStep step = Simply(Kind::kChangeBudget);
      step.group = way_.Name(i);
      return step;
    }
    return transfer_.finalizer && transfer_.deleting ? Simply(Kind::kRemoveFinalizer) : TransferStep();
  }

  TransferStep Waiting(Phase phase, std::string why) {
    TransferStep step = WaitFor(transfer_, phase, std::move(why));
    if (phase == Phase::kPending || phase == Phase::kMoving) step.look_again = transfer_.until;
    return step;
  }

  const QuotaTransfer& transfer_;
  const Tree& tree_;
  const Time now_;
  const Way way_;
  const Amounts amounts_;
};

}  // namespace

TransferStep NextTransferStep(const QuotaTransfer& transfer, const Tree& tree, Time now) {
  return Mover(transfer, tree, now).Next();
}

Amounts SpeltAs(const Amounts& stored, const Amounts& changes) {
  Amounts spelt;
  for (const auto& [key, hard] : stored) {
    if (const Quantity* now = Find(changes, NormalKey(key))) Set(spelt, key, *now);
  }
  return spelt;
}

Spending NextSpending(const QuotaTransfer& transfer, const Tree& tree) {
  if (transfer.phase == Phase::kPending) return {transfer.from, ""};
  if (!IsUnderWay(transfer.phase)) return {};
  const bool forward = transfer.phase == Phase::kMoving;
  const Way way(transfer, tree);
  const size_t done = way.Done();
  if (done == (forward ? way.Count() : 0)) return {};
  const size_t next = forward ? done : done - 1;
  if (way.Grows(next) != forward) return {way.Name(next), ""};
  return {way.Above(next), way.Name(next)};
}

Hold HoldOf(const QuotaTransfer& transfer, const Tree& tree) {
  if (!IsUnderWay(transfer.phase)) return {};
  const Way way(transfer, tree);
  const size_t done = way.Done();
  const Amounts amounts = NormalKeys(transfer.amounts);
  if (done == way.Count()) {
    return transfer.phase == Phase::kOverdue ? Hold{transfer.to, amounts, ""} : Hold();
  }
  std::string holder(way.Holder(done));
  const Group* group = tree.Find(holder);
  if (!group) return {};
  return {std::move(holder), Masked(amounts, group->object->hard), NextSpending(transfer, tree).child};
}

Amounts HeldIn(std::string_view name, std::span<const Hold> holds, const Tree& tree) {
  Amounts held;
  std::map<std::string_view, Amounts> by_child;
  for (const Hold& each : holds) {
    if (each.group == name) Add(each.child.empty() ? held : by_child[each.child], each.amounts);
  }
  const Group* group = tree.Find(name);
  for (const auto& [child, amounts] : by_child) {
    Amounts reserved;
    if (const Group* known = tree.Find(child); known && group) {
      for (const auto& each : group->object->reservations) {
        if (each.uid == known->object->uid) Max(reserved, NormalKeys(each.amounts));
      }
      reserved = Increase(reserved, known->committed);
    }
    Add(held, Increase(amounts, reserved));
  }
  RemoveZeros(held);
  return held;
}

}  // namespace huygens::quota
