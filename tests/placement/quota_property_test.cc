// Random histories of groups and pods through the whole of Placement: groups are made, grow, shrink and go by the rules
// of the tree, pods race for what is left, are bound or come back, end and are relabelled, and the process starts anew
// in between. After each step the figures are those of a count in plain integers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <random>

#include "quota/group_rules.h"
#include "tests/placement/quota_groups.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words

constexpr std::array<std::string_view, 2> kKeys = {"limits.cpu", "limits.cpu.A4"};
using Cores = std::array<int, 2>;  // by position in kKeys

struct PlainGroup {
  std::string parent;
  Cores hard{};
  std::array<bool, 2> excused{};  // shrunk below its use, or a pod was moved there by hand
};
struct PlainPod {
  std::shared_ptr<cluster::Pod> pod;
  std::string node;
  std::string group;
  Cores takes{};
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) { Restart(); }

  void Step() {
    switch (Pick(10)) {
      case 0:
      case 1:
      case 2:
        SetGroup();
        break;
      case 3:
        DeleteGroup();
        break;
      case 4:
      case 5:
        Race();
        break;
      case 6:
        Settle();
        break;
      case 7:
        End();
        break;
      case 8:
        Relabel();
        break;
      default:
        if (Pick(5) == 0) Restart();
    }
    Verify();
  }

  void EndAll() {
    while (!flying_.empty()) Settle();
    while (!bound_.empty()) End();
    Verify();
    for (const auto& [name, group] : at_->placement->quota()->tree().groups()) RC_ASSERT(group.charged.empty());
    RC_ASSERT(at_->placement->state().ledger().size() == 0u);
  }

 private:
  int Pick(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }
  std::string AnyName() { return Concat("g", std::to_string(Pick(6))); }
  std::string AnyNode() { return Concat("n", std::to_string(Pick(3))); }
  const quota::Tree& Tree() const { return at_->placement->quota()->tree(); }

  static cluster::BizGroupQuota Object(const std::string& name, const PlainGroup& group) {
    const std::string cores = std::to_string(group.hard[0]), a4 = std::to_string(group.hard[1]);
    return MakeGroup(name, {{kKeys[0], cores}, {kKeys[1], a4}}, group.parent);
  }

  void SetGroup() {
    const std::string name = AnyName();
    const bool is_new = !groups_.contains(name);
    PlainGroup group = groups_[name];
    if (is_new && Pick(3) > 0) group.parent = AnyName();
    group.hard = {Pick(14), Pick(7)};
    const auto object = Object(name, group);
    if (!(is_new ? quota::MayCreate(Tree(), object) : quota::MayUpdate(Tree(), object)).ok()) {
      if (is_new) groups_.erase(name);
      return;
    }
    const Cores used = UsedBy(name);
    for (size_t key = 0; key < used.size(); ++key) group.excused[key] |= used[key] > group.hard[key];
    groups_[name] = group;
    at_->Set(object);
  }

  void DeleteGroup() {
    const std::string name = AnyName();
    if (!quota::MayDelete(Tree(), name).ok()) return;
    groups_.erase(name);
    at_->placement->Apply(cluster::BizGroupQuotaGone{name});
  }

  // Filter lets several pods through before the first of them is bound.
  void Race() {
    const std::string group = AnyName();
    std::vector<PlainPod> racers;
    for (int i = Pick(3) + 1; i > 0; --i) {
      const int cores = Pick(4) + 1;
      const bool a4 = Pick(2) == 0;
      const std::string uid = Concat("p", std::to_string(next_pod_++));
      PlainPod racer{MakeGroupPod(uid, cores, group, a4 ? "A4" : ""), a4 ? "n0" : AnyNode(), group, {}};
      racer.takes = {cores, a4 ? cores : 0};
      if (Pick(2) == 0) at_->placement->Apply(cluster::PodSet{racer.pod});
      if (at_->Filter(*racer.pod).starts_with("fits")) racers.push_back(std::move(racer));
    }
    for (PlainPod& racer : racers) {
      const bool fits = at_->Filter(*racer.pod).starts_with("fits");
      const auto reserved = at_->placement->Reserve(racer.pod, racer.node, kNow);
      RC_ASSERT(reserved->Accepted() == fits);
      RC_ASSERT(reserved->quota.empty() == fits);
      if (fits) flying_.push_back(std::move(racer));
    }
  }

  // What the API server makes of a Binding, and in which order that is heard.
  void Settle() {
    if (flying_.empty()) return;
    PlainPod pod = std::move(flying_.back());
    flying_.pop_back();
    const std::string uid = pod.pod->uid;
    if (Pick(4) == 0) return at_->placement->Release(uid);
    if (Pick(2) == 0) at_->placement->Assume(uid, kNow);
    at_->Bind(*pod.pod, pod.node);
    at_->placement->Assume(uid, kNow);
    bound_[uid] = std::move(pod);
  }

  PlainPod* AnyBound() {
    if (bound_.empty()) return nullptr;
    return &std::next(bound_.begin(), Pick(static_cast<int>(bound_.size())))->second;
  }

  void End() {
    const PlainPod* pod = AnyBound();
    if (!pod) return;
    const std::string uid = pod->pod->uid;
    if (Pick(2) == 0) {
      auto done = std::make_shared<cluster::Pod>(*pod->pod);
      done->node_name = pod->node;
      done->phase = cluster::PodPhase::kFailed;
      at_->placement->Apply(cluster::PodSet{std::move(done)});
    } else {
      at_->placement->Apply(cluster::PodGone{uid});
    }
    bound_.erase(uid);
  }

  void Relabel() {
    PlainPod* pod = AnyBound();
    if (!pod) return;
    pod->group = AnyName();
    pod->pod = MakeGroupPod(pod->pod->uid, pod->takes[0], pod->group, pod->takes[1] > 0 ? "A4" : "");
    at_->Bind(*pod->pod, pod->node);
    if (auto group = groups_.find(pod->group); group != groups_.end()) group->second.excused = {true, true};
  }

  // All is read anew, in another order; of Bindings under way some took effect.
  void Restart() {
    for (PlainPod& pod : flying_) {
      if (Pick(2) == 0) bound_[pod.pod->uid] = pod;
    }
    flying_.clear();
    at_ = std::make_unique<QuotaPlacement>();
    for (auto pod = bound_.rbegin(); pod != bound_.rend(); ++pod) at_->Bind(*pod->second.pod, pod->second.node);
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) at_->Set(Object(group->first, group->second));
  }

  Cores UsedBy(const std::string& name) const {
    Cores used{};
    auto add = [&](const Cores& more) {
      for (size_t key = 0; key < used.size(); ++key) used[key] += more[key];
    };
    for (const auto& [uid, pod] : bound_) {
      if (pod.group == name) add(pod.takes);
    }
    for (const PlainPod& pod : flying_) {
      if (pod.group == name) add(pod.takes);
    }
    for (const auto& [child, group] : groups_) {
      if (group.parent == name) add(group.hard);
    }
    return used;
  }

  void Verify() {
    for (auto& [name, group] : groups_) {
      const Cores used = UsedBy(name);
      for (size_t key = 0; key < used.size(); ++key) {
        RC_ASSERT(at_->Used(name, kKeys[key]) == std::to_string(used[key]));
        const bool above = used[key] > group.hard[key];
        RC_ASSERT(!above || group.excused[key]);
        if (!above) group.excused[key] = false;
      }
    }
    RC_ASSERT(at_->placement->Reconcile(10) == 0u);
  }

  std::mt19937_64 random_;
  std::unique_ptr<QuotaPlacement> at_;
  std::map<std::string, PlainGroup> groups_;
  std::map<std::string, PlainPod> bound_;  // by UID
  std::vector<PlainPod> flying_;           // reserved
  int next_pod_ = 0;
};

RC_GTEST_PROP(PlacementQuota, NoBudgetIsExceededAndNothingStaysCharged, (uint64_t seed)) {
  History history(seed);
  for (int step = 0; step < 300; ++step) history.Step();
  history.EndAll();
}

}  // namespace
}  // namespace huygens::placement
