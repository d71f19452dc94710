// Random histories of groups and pods through the whole of Placement: groups are made, grow, shrink and go by the rules
// of the tree, pods race for what is left, are bound or come back, end and are relabelled, and the process starts anew
// in between. What the watch may do besides happens, too: pods that others bound, before there is a group perhaps;
// events that come late or twice; objects that the next LIST does not name or that became unreadable; nodes that go, or
// come to be of another model. Of the pods some carry the mark of their Binding: those keep their group.
// After each step the figures are those of a count in plain integers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

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
  std::array<bool, 2> excused{};  // shrunk below its use, a pod moved or bound there by hand, or a node labelled
  bool defective = false;
};
struct PlainPod {
  std::shared_ptr<cluster::Pod> pod;
  std::string node;
  std::string group;
  int cores = 0;
  bool names_a4 = false;
  bool watched = false;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) { Restart(); }

  void Step() {
    switch (Pick(18)) {
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
      case 9:
        BindByOthers();
        break;
      case 10:
        RelistGroups();
        break;
      case 11:
        RelistPods();
        break;
      case 12:
        RepeatOrBeLate();
        break;
      case 13:
        LoseReserved();
        break;
      case 14:
        LoseOrFindNode();
        break;
      case 15:
        RelabelReserved();
        break;
      case 16:
        SpoilGroup();
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
    group.defective = false;
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
      PlainPod racer{MakeGroupPod(uid, cores, group, a4 ? "A4" : ""), a4 ? "n0" : AnyNode(), group, cores, a4};
      if (Pick(2) == 0) Watch(racer);
      if (Fits(racer)) racers.push_back(std::move(racer));
    }
    for (PlainPod& racer : racers) {
      const auto as_it_was = racer.pod;
      if (Pick(4) == 0) {
        racer.group = AnyName();
        racer.pod = Labelled(racer, racer.group);
        Watch(racer);
      }
      const bool fits = Fits(racer);
      const auto known = groups_.find(racer.group);
      RC_ASSERT(!fits || (known != groups_.end() && !known->second.defective && !OverAbove(racer)));
      const auto reserved = at_->placement->Reserve(as_it_was, racer.node, kNow);
      if (gone_nodes_.contains(racer.node)) {
        RC_ASSERT(!reserved->Accepted());
        continue;
      }
      RC_ASSERT(reserved->Accepted() == fits);
      RC_ASSERT(reserved->quota.empty() == fits);
      if (fits) flying_.push_back(std::move(racer));
    }
  }

  bool Fits(const PlainPod& pod) {
    const std::string_view asked[] = {pod.node};
    return at_->placement->Filter(*pod.pod, asked, kNow).reasons[0] == Reason::kFits;
  }

  // Whether a group above the pod's uses more than it has of what the pod takes.
  bool OverAbove(const PlainPod& pod) const {
    const Cores takes = TakesOf(pod);
    for (auto at = groups_.find(pod.group); at != groups_.end(); at = groups_.find(at->second.parent)) {
      if (at->first == pod.group) continue;
      const Cores used = UsedBy(at->first);
      for (size_t key = 0; key < used.size(); ++key) {
        if (takes[key] > 0 && used[key] > at->second.hard[key]) return true;
      }
    }
    return false;
  }

  // What the API server makes of a Binding, and in which order that is heard.
  void Settle() {
    if (flying_.empty()) return;
    PlainPod pod = std::move(flying_.back());
    flying_.pop_back();
    const std::string uid = pod.pod->uid;
    if (Pick(4) == 0) return at_->placement->Release(uid);
    TakeMark(pod);
    TakeLabels(pod);
    if (Pick(2) == 0) at_->placement->Assume(uid, kNow);
    at_->Bind(*pod.pod, pod.node);
    at_->placement->Assume(uid, kNow);
    pod.watched = true;
    bound_[uid] = std::move(pod);
  }

  static std::shared_ptr<cluster::Pod> Labelled(const PlainPod& pod, const std::string& group) {
    auto labelled = MakeGroupPod(pod.pod->uid, pod.cores, group, pod.names_a4 ? "A4" : "");
    labelled->placement_mark = pod.pod->placement_mark;
    return labelled;
  }

  // Its Binding may say what it was reserved with, which holds from then on.
  void TakeMark(PlainPod& pod) {
    if (Pick(2) == 0) return;
    const auto quota = MakeGroupPod("", 0, pod.group, pod.names_a4 ? "A4" : "")->quota;
    pod.pod = std::make_shared<cluster::Pod>(*pod.pod);
    pod.pod->placement_mark = cluster::PlacementMark{pod.pod->uid, pod.node, {}, quota, false};
  }

  void Watch(PlainPod& pod) {
    at_->placement->Apply(cluster::PodSet{pod.pod});
    pod.watched = true;
  }

  // Without a mark it is charged by the labels that the API server shows with its node.
  void TakeLabels(PlainPod& pod) {
    if (pod.pod->placement_mark || pod.group == pod.pod->quota->group) return;
    pod.group = pod.pod->quota->group;
    if (auto group = groups_.find(pod.group); group != groups_.end()) group->second.excused = {true, true};
  }

  void BindByOthers() {
    const int cores = Pick(3) + 1;
    const std::string uid = Concat("p", std::to_string(next_pod_++));
    PlainPod pod{MakeGroupPod(uid, cores, AnyName()), AnyNode(), "", cores, false, true};
    at_->Bind(*pod.pod, pod.node);
    TakeLabels(pod);
    bound_[uid] = std::move(pod);
  }

  void RelistGroups() {
    at_->placement->Apply(cluster::ListBegin{cluster::Kind::kBizGroupQuota});
    for (auto group = groups_.begin(); group != groups_.end();) {
      if (Pick(8) == 0) {
        group = groups_.erase(group);
        continue;
      }
      group->second.defective = false;
      at_->Set(Object(group->first, group->second));
      ++group;
    }
    at_->placement->Apply(cluster::ListEnd{cluster::Kind::kBizGroupQuota});
  }

  void RelistPods() {
    at_->placement->Apply(cluster::ListBegin{cluster::Kind::kPod});
    std::erase_if(bound_, [&](const auto& entry) {
      if (Pick(8) == 0) return true;
      at_->Bind(*entry.second.pod, entry.second.node);
      return false;
    });
    std::erase_if(flying_, [&](const PlainPod& pod) {
      if (!pod.watched || Pick(4) == 0) return pod.watched;
      at_->placement->Apply(cluster::PodSet{pod.pod});
      return false;
    });
    at_->placement->Apply(cluster::ListEnd{cluster::Kind::kPod});
  }

  void RepeatOrBeLate() {
    if (const PlainPod* pod = AnyBound()) {
      at_->placement->Apply(cluster::PodSet{Labelled(*pod, AnyName())});  // as it was before it was bound
      at_->Bind(*pod->pod, pod->node);
      at_->placement->Release(pod->pod->uid);
    }
    if (!flying_.empty()) Watch(flying_.back());
  }

  void LoseReserved() {
    if (flying_.empty()) return;
    const std::string uid = flying_.back().pod->uid;
    flying_.pop_back();
    at_->placement->Apply(cluster::PodGone{uid});
    at_->placement->Apply(cluster::PodGone{uid});
    Pick(2) == 0 ? at_->placement->Release(uid) : at_->placement->Assume(uid, kNow);
  }

  // n0 stays: pods that name a model are bound there.
  void LoseOrFindNode() {
    const std::string name = Pick(2) == 0 ? "n1" : "n2";
    if (gone_nodes_.erase(name) == 0 && Pick(2) == 0) {
      gone_nodes_.insert(name);
      a4_nodes_.erase(name);
      return at_->placement->Apply(cluster::NodeGone{name});
    }
    cluster::Node node = MakeNode(name);
    a4_nodes_.erase(name);
    if (Pick(2) == 0) {
      node.labels = {{"huygens.dev/cpu-model", "A4"}};
      a4_nodes_.insert(name);
      for (auto& [group_name, group] : groups_) group.excused[1] = true;
    }
    at_->placement->Apply(cluster::NodeSet{std::move(node)});
  }

  // Until it is bound it is charged as it was reserved.
  void RelabelReserved() {
    if (flying_.empty()) return;
    PlainPod& pod = flying_.back();
    pod.pod = Labelled(pod, AnyName());
    Watch(pod);
  }

  void SpoilGroup() {
    auto group = groups_.find(AnyName());
    if (group == groups_.end()) return;
    group->second.defective = true;
    cluster::BizGroupQuota unreadable;
    unreadable.name = group->first;
    unreadable.defect = "spec.hard: expected an object";
    at_->Set(unreadable);
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
    pod->pod = Labelled(*pod, AnyName());
    at_->Bind(*pod->pod, pod->node);
    TakeLabels(*pod);
  }

  // All is read anew, in another order; of Bindings under way some took effect.
  void Restart() {
    for (PlainPod& pod : flying_) {
      if (Pick(2) == 0) continue;
      TakeMark(pod);
      TakeLabels(pod);
      pod.watched = true;
      bound_[pod.pod->uid] = pod;
    }
    flying_.clear();
    gone_nodes_.clear();
    a4_nodes_ = {"n0", "n2"};
    for (auto& [name, group] : groups_) group.excused[1] = true;
    at_ = std::make_unique<QuotaPlacement>();
    for (auto pod = bound_.rbegin(); pod != bound_.rend(); ++pod) at_->Bind(*pod->second.pod, pod->second.node);
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      group->second.defective = false;
      at_->Set(Object(group->first, group->second));
    }
  }

  Cores TakesOf(const PlainPod& pod) const {
    return {pod.cores, pod.names_a4 || a4_nodes_.contains(pod.node) ? pod.cores : 0};
  }

  Cores UsedBy(const std::string& name) const {
    Cores used{};
    auto add = [&](const Cores& more) {
      for (size_t key = 0; key < used.size(); ++key) used[key] += more[key];
    };
    for (const auto& [uid, pod] : bound_) {
      if (pod.group == name) add(TakesOf(pod));
    }
    for (const PlainPod& pod : flying_) {
      if (pod.group == name) add(TakesOf(pod));
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
  std::set<std::string> gone_nodes_;
  std::set<std::string> a4_nodes_;
  int next_pod_ = 0;
};

RC_GTEST_PROP(PlacementQuota, NoBudgetIsExceededAndNothingStaysCharged, (uint64_t seed)) {
  History history(seed);
  for (int step = 0; step < 300; ++step) history.Step();
  history.EndAll();
}

}  // namespace
}  // namespace huygens::placement
