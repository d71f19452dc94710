// Random histories of random trees: groups are made, grow, shrink and go as the rules allow, pods race, bind, end and
// move, the account is rebuilt from what the API server has, and after each step every figure is what a count from
// nothing in plain integers gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>

#include "cluster/state.h"
#include "quota/account.h"
#include "quota/group_rules.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"limits.cpu", "limits.cpu.A4", "pods"};
using Budget = std::array<int64_t, 3>;  // by position in kKeys, in milli-units; negative = not limited

struct PlainGroup {
  std::string parent;
  Budget hard{};
  std::array<bool, 3> shrunk{};  // the budget was once set below use, and use has been above it since
};
struct PlainPod {
  PodPointer pod;
  std::string group;
  Budget takes{};
};

class History {
 public:
  History() { Restart(); }

  // Each number is a choice; the low digits say what, the others whom and how much.
  void Step(uint32_t choice) {
    choice = (choice ^ (choice >> 16)) * 0x9E3779B1u;  // small numbers are the likeliest
    choice ^= choice >> 15;
    const uint32_t action = choice % 12, detail = choice / 12;
    if (action <= 1) Create(detail);
    if (action == 2 || action == 3) Update(detail);
    if (action == 4) Delete(detail);
    if (action >= 5 && action <= 7) Race(detail);
    if (action == 8 || action == 9) End(detail);
    if (action == 10) Move(detail);
    if (action == 11 && detail % 4 == 0) Restart();
    Verify();
  }

  void EndAll() {
    while (!pods_.empty()) End(0);
    Verify();
    for (const auto& [name, group] : account_->tree().groups()) RC_ASSERT(group.charged.empty());
    RC_ASSERT(state_->Reconcile(100) == 0u);
  }

 private:
  static std::string Name(uint32_t number) { return Concat("g", std::to_string(number % 8)); }

  cluster::BizGroupQuota Object(const std::string& name, const PlainGroup& group) const {
    auto object = MakeGroup(name, group.parent, {});
    for (size_t key = 0; key < kKeys.size(); ++key) {
      if (group.hard[key] >= 0) Set(object.hard, kKeys[key], Quantity::FromMilli(group.hard[key]));
    }
    return object;
  }

  static Budget AnyBudget(uint32_t detail) {
    Budget hard;
    for (int64_t& amount : hard) {
      amount = detail % 5 == 0 ? -1 : static_cast<int64_t>(detail % 97) * 250;
      detail = detail * 1664525u + 1013904223u;
      detail ^= detail >> 13;
    }
    return hard;
  }

  Budget UsedBy(const std::string& name) const {
    Budget used{};
    for (const auto& [uid, pod] : pods_) {
      for (size_t key = 0; key < used.size() && pod.group == name; ++key) used[key] += pod.takes[key];
    }
    for (const auto& [child, group] : groups_) {
      for (size_t key = 0; key < used.size() && group.parent == name; ++key) {
        used[key] += std::max<int64_t>(group.hard[key], 0);
      }
    }
    return used;
  }

  void Create(uint32_t detail) {
    const std::string name = Name(detail);
    PlainGroup group;
    if (detail / 8 % 3 != 0) group.parent = Name(detail / 24);
    group.hard = AnyBudget(detail / 192);
    if (auto parent = groups_.find(group.parent); parent != groups_.end()) {  // mostly one that its parent can give
      for (size_t key = 0; key < kKeys.size(); ++key) {
        const int64_t most = parent->second.hard[key];
        if (most >= 0) group.hard[key] = std::clamp<int64_t>(group.hard[key], 0, most / 2);
      }
    }
    if (!MayCreate(account_->tree(), Object(name, group)).ok()) return;
    RC_ASSERT(!groups_.contains(name));
    groups_[name] = group;
    state_->Apply(cluster::BizGroupQuotaSet{Object(name, group)});
  }

  void Update(uint32_t detail) {
    const std::string name = Name(detail);
    if (!groups_.contains(name)) return;
    PlainGroup group = groups_[name];
    group.hard = AnyBudget(detail / 8);
    if (!MayUpdate(account_->tree(), Object(name, group)).ok()) return;
    groups_[name].hard = group.hard;
    const Budget used = UsedBy(name);
    for (size_t key = 0; key < used.size(); ++key) {
      if (group.hard[key] >= 0 && group.hard[key] < used[key]) groups_[name].shrunk[key] = true;
    }
    state_->Apply(cluster::BizGroupQuotaSet{Object(name, group)});
  }

  void Delete(uint32_t detail) {
    const std::string name = Name(detail);
    if (!MayDelete(account_->tree(), name).ok()) return;
    groups_.erase(name);
    state_->Apply(cluster::BizGroupQuotaGone{name});
  }

  // Two pods are looked at before either is bound; the second is looked at again.
  void Race(uint32_t detail) {
    std::array<PlainPod, 2> racers;
    std::array<bool, 2> fitted{};
    for (size_t i = 0; i < racers.size(); ++i) {
      PlainPod& racer = racers[i];
      const int64_t milli = 1000 + detail / 64 % 7 * 750;
      const bool a4 = detail / 512 % 2 == i;
      racer.group = Name(detail / 8);
      racer.takes = {milli, a4 ? milli : 0, 1000};
      racer.pod =
          Labelled(Concat("p", std::to_string(next_pod_++)), MakePod(milli), Labels(racer.group, a4 ? "A4" : ""));
      fitted[i] = account_->Check(*racer.pod).fits();
    }
    for (size_t i = 0; i < racers.size(); ++i) {
      const PlainPod& racer = racers[i];
      if (!fitted[i] || !account_->Check(*racer.pod).fits()) continue;
      const auto node = static_cast<cluster::NodeIndex>(detail % 3);
      RC_ASSERT(state_->Reserve(racer.pod, node, {}, Time()).ok());
      PlainPod bound = racer;
      bound.pod = Bound(racer.pod, std::string(state_->NodeName(node)));
      if (detail / 1024 % 4 == 0) {  // the API server says no
        state_->Release(racer.pod->uid);
        continue;
      }
      state_->Apply(cluster::PodSet{bound.pod});
      pods_[racer.pod->uid] = bound;
    }
  }

  auto Pick(uint32_t detail) { return std::next(pods_.begin(), static_cast<std::ptrdiff_t>(detail % pods_.size())); }

  void End(uint32_t detail) {
    if (pods_.empty()) return;
    auto pod = Pick(detail);
    state_->Apply(cluster::PodGone{pod->first});
    pods_.erase(pod);
  }

  void Move(uint32_t detail) {
    if (pods_.empty()) return;
    auto& [uid, pod] = *Pick(detail);
    const std::string target = Name(detail / 16);
    if (target == pod.group) return;
    cluster::QuotaLabels labels = *pod.pod->quota;
    labels.group = target;
    auto moved = Relabelled(pod.pod, labels);
    if (!account_->Check(*moved).fits()) return;
    state_->Apply(cluster::PodSet{moved});
    pod.pod = moved;
    pod.group = target;
  }

  // Everything anew, in another order.
  void Restart() {
    account_ = std::make_unique<Account>(names_, Options());
    state_ = std::make_unique<cluster::State>();
    state_->AddAccount(*account_);
    for (const char* name : {"n0", "n1", "n2"}) {
      cluster::Node node;
      node.name = name;
      state_->Apply(cluster::NodeSet{node});
    }
    for (auto pod = pods_.rbegin(); pod != pods_.rend(); ++pod) state_->Apply(cluster::PodSet{pod->second.pod});
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      state_->Apply(cluster::BizGroupQuotaSet{Object(group->first, group->second)});
    }
  }

  void Verify() {
    for (auto& [name, group] : groups_) {
      const Budget used = UsedBy(name);
      const Group* found = account_->tree().Find(name);
      RC_ASSERT(found);
      for (size_t key = 0; key < used.size(); ++key) {
        RC_ASSERT(Get(found->used, kKeys[key]) == Quantity::FromMilli(used[key]));  // U2
        const bool above = group.hard[key] >= 0 && used[key] > group.hard[key];
        if (!above) group.shrunk[key] = false;
        RC_ASSERT(!above || group.shrunk[key]);
      }
      RC_ASSERT(account_->tree().Standing(name).fits());
    }
    RC_ASSERT(account_->tree().groups().size() == groups_.size());
  }

  ResourceNames names_;
  std::unique_ptr<Account> account_;
  std::unique_ptr<cluster::State> state_;
  std::map<std::string, PlainGroup> groups_;
  std::map<std::string, PlainPod> pods_;
  int next_pod_ = 0;
};

RC_GTEST_PROP(QuotaTree, U2_HoldsAndNoBudgetIsExceededAfterAnyHistory, (const std::vector<uint32_t>& choices)) {
  History history;
  for (uint32_t choice : choices) history.Step(choice);
  history.EndAll();
}

// Placing and taking off leaves every figure as it was, in whatever order: preemption asks that way what would be.
RC_GTEST_PROP(QuotaAccount, LeaveTakesBackWhatPlaceAdded, (const std::vector<uint32_t>& pods, uint32_t rotation)) {
  ResourceNames names;
  Account account(names, {});
  account.GroupChanged(MakeGroup("g0", "", {{"limits.cpu", "1"}}));
  std::vector<cluster::PlacedPod> placed;
  for (uint32_t choice : pods) {
    cluster::Pod pod = MakePod(choice % 1000 + 1, int64_t{choice} << 20);
    auto labels = Labels(Concat("g", std::to_string(choice % 3)), choice % 2 ? "A4" : "", "", choice % 5 ? "" : "D.5");
    placed.push_back({Labelled(Concat("p", std::to_string(placed.size())), pod, labels), choice % 4, {}});
  }
  const size_t half = placed.size() / 2;
  for (size_t i = 0; i < half; ++i) account.Place(placed[i]);
  std::map<std::string, Amounts> before;
  for (const auto& [name, group] : account.tree().groups()) before[name] = group.used;
  for (size_t i = half; i < placed.size(); ++i) account.Place(placed[i]);
  for (size_t i = half; i < placed.size(); ++i) {
    account.Leave(placed[half + (i + rotation) % (placed.size() - half)]);
  }
  std::map<std::string, Amounts> after;
  for (const auto& [name, group] : account.tree().groups()) after[name] = group.used;
  RC_ASSERT(before == after);
  for (size_t i = 0; i < half; ++i) account.Leave(placed[i]);
  RC_ASSERT(account.tree().groups().size() == 1u);
  RC_ASSERT(account.tree().Find("g0")->used.empty());
}

}  // namespace
}  // namespace huygens::quota
