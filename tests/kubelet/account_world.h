// The account against a true kubelet. The true machine is a predictor of its own that sees everything at once, each CPU
// by itself; the account sees reservations at once, pods late, and objects late, out of order or never, in which what
// finished init containers hold counts as free.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "kubelet/account.h"
#include "kubelet/published.h"
#include "kubelet/settings.h"
#include "tests/kubelet/node.h"
#include "tests/kubelet/predictions.h"

namespace huygens::kubelet::test {

using std::chrono::seconds;

inline constexpr NodeIndex kNode = 0;
inline constexpr ResourceId kGpu = 50;

struct AccountWorldKind {
  bool fingerprints = false;
  bool init_containers = false;
};

class AccountWorld {
 public:
  AccountWorld(uint64_t seed, AccountWorldKind kind) : random_(seed), kind_(kind), gpus_(seed % 2 == 1) {
    const std::vector<std::pair<int64_t, int64_t>> full(2 + Below(2), {8, 16});
    const std::vector<std::string> aligning = {"restricted", "single-numa-node", "best-effort"};
    // With devices in some zones only, a pod that ends before kubelet has seen the next ones may cost one of these its
    // zone, and memory may be held across a zone that gives none of it, which no placement tells: there only the sum of
    // all devices is certain.
    object_ = Object(full, Pick(gpus_ ? std::vector<std::string>{"none", "best-effort"} : aligning),
                     Pick({"container", "pod"}));
    for (cluster::Zone& zone : object_.zones) {
      for (size_t other = 0; other < full.size(); ++other) {
        zone.costs.emplace_back(other, zone.id == static_cast<int>(other) ? 10 : 20);
      }
    }
    if (gpus_) object_.attributes.emplace_back("memoryManagerPolicy", "None");
    for (cluster::Zone& zone : object_.zones) {
      if (!gpus_) break;
      const auto amount = static_cast<int64_t>(zone.id == 0 ? 2 : Below(3));
      for (ResourceVector* amounts : {&zone.capacity, &zone.allocatable, &zone.available}) amounts->Set(kGpu, amount);
      gpus_of_zones_ += amount;
    }
    cluster::Node node;
    node.allocatable.Set(kGpu, gpus_of_zones_ + static_cast<int64_t>(Below(4)));
    truth_ = PublishedMachine(object_, OptionsOf(object_, nullptr, Defaults()));
    SetDevicesOfNoZone(truth_, node.allocatable);
    truth_.layout = AssumedLayout(truth_);
    truth_.knows_free_cpus = true;
    for (size_t cpu = 0; cpu < truth_.layout->cpus().size(); ++cpu) truth_.free_cpus.Add(cpu);
    shown_ = truth_;
    account_.NodeObjectChanged(kNode, &node);
    Publish();
    Deliver(0);
  }

  void Step() {
    now_ += seconds(Below(8));
    switch (Below(8)) {
      case 0:
      case 1:
        return Bind();
      case 2:
        if (Below(4) == 0) Foreign();
        return;
      case 3:
        return Admit();
      case 4:
        return End();
      case 5:
        for (size_t n = Below(6); n > 0; --n) ShowOne();
        return;
      case 6:
        return Publish();
      default:
        if (published_.empty()) return;
        if (Below(4) == 0) {
          published_.erase(published_.begin() + Below(published_.size()));  // never arrives
        } else {
          Deliver(Below(published_.size()));
        }
    }
  }

  // Everything is said, and the last object is the newest.
  void Settle() {
    while (!to_admit_.empty()) Admit();
    while (ShowAny()) continue;
    now_ += 2 * Account::kExporterMargin;
    published_.clear();
    Publish();
    Deliver(0);
    Compare();
    std::vector<const cluster::PlacedPod*> placed;
    for (auto& [name, pod] : pods_) placed.push_back(&pod.placed);
    EXPECT_FALSE(account_.Recount(kNode, placed));
  }

  struct Tally {
    size_t admitted = 0;
    size_t foreseen = 0;
    // Of nodes on which all is said:
    size_t known = 0, wrong = 0;    // pods whose zones are predicted and not doubted, and of these those elsewhere
    size_t settled = 0, lost = 0;   // all, and those with less free than in truth
    size_t asked = 0, refused = 0;  // pods that they would take, and of these those that are refused
  };
  const Tally& tally() const { return tally_; }

 private:
  struct LivePod {
    cluster::PlacedPod placed;  // as the account knows it
    Request request;
    Prediction verdict;  // of the true machine, once admitted
    bool foreign = false;
    bool admitted = false;
    bool ended = false;
    std::optional<Time> start;
    int shown = 0;  // 1: bound; 2: seen by kubelet
  };

  size_t Below(size_t end) { return random_() % end; }
  std::string Pick(std::vector<std::string> from) { return from[Below(from.size())]; }

  std::shared_ptr<cluster::Pod> NewPod() {
    std::vector<std::pair<int64_t, int64_t>> containers;
    if (Below(6) == 0) {
      containers.emplace_back(9 + Below(4), 1 + Below(24));  // wider than a zone
    } else {
      for (size_t i = 0; i <= Below(3) / 2; ++i) containers.emplace_back(1 + Below(4), 1 + Below(5));
    }
    auto pod = GuaranteedPod("pod-" + std::to_string(++names_), containers);
    for (cluster::Container& container : pod->containers) {
      AddGpus(container, 4);
    }
    if (!kind_.init_containers || Below(2) == 0) return pod;
    containers.clear();
    for (size_t i = 0; i <= Below(3) / 2; ++i) containers.emplace_back(1 + Below(6), 1 + Below(3));
    pod->init_containers = GuaranteedPod("", containers)->containers;
    for (cluster::Container& container : pod->init_containers) {
      container.restartable = Below(4) == 0;
      AddGpus(container, 2);
    }
    return pod;
  }
  void AddGpus(cluster::Container& container, size_t end) {
    if (!gpus_ || Below(2) == 0) return;
    container.limits.Set(kGpu, static_cast<int64_t>(Below(end)));
    container.requests.Set(kGpu, container.limits.Get(kGpu));
  }

  void Bind() {
    auto pod = NewPod();
    const Request request = RequestOf(*pod);
    const Prediction prediction = account_.Predict(kNode, request);
    if (account_.SurelyFitsOne(kNode, request)) {
      EXPECT_TRUE(prediction.Admitted());
    }
    if (!prediction.Admitted()) return;
    LivePod& live = pods_[pod->name];
    live.placed = {pod, kNode, account_.PredictZones(kNode, request)};
    live.request = request;
    account_.Place(live.placed);
    to_admit_.push_back(pod->name);
  }

  // Another scheduler's pod: the account hears of it with everybody else, and kubelet may refuse it.
  void Foreign() {
    auto pod = NewPod();
    LivePod& live = pods_[pod->name];
    live.placed = {BoundPod(*pod, {}), kNode, {}};
    live.request = RequestOf(*pod);
    live.foreign = true;
    live.shown = 1;
    account_.Place(live.placed);
    to_admit_.push_back(pod->name);
  }

  // kubelet takes pods in the order in which they were bound.
  void Admit() {
    if (to_admit_.empty()) return;
    LivePod& live = pods_[to_admit_.front()];
    to_admit_.pop_front();
    const Prediction verdict = Predict(truth_, live.request.pod);
    if (!live.foreign) {
      EXPECT_TRUE(verdict.Admitted()) << live.placed.pod->name << ": " << Text(verdict.admission);
      ++tally_.admitted;
    }
    live.ended = !verdict.Admitted();
    if (live.ended) return;
    live.admitted = true;
    live.verdict = verdict;
    live.start = now_;
    tally_.foreseen += !live.placed.zones.empty();
    Charge(truth_, verdict.charge);
    for (size_t i = 0; i < verdict.containers.size(); ++i) {
      if (live.request.pod.containers[i].kind == Container::Kind::kInit) {
        ReleaseMemory(verdict.containers[i]);
      } else {
        Show(verdict.containers[i], 1);
      }
    }
  }

  // kubelet has the memory of an init container back when it has finished, which is at once here: whatever the zones
  // gave, they get it back in ascending order, each no more than is taken of it (memorymanager/policy_static.go).
  void ReleaseMemory(const ContainerPlacement& container) {
    for (const ContainerPlacement::Memory& block : container.memory) {
      int64_t bytes = block.bytes;
      for (size_t z : ZonesIn{block.zones}) {
        if (--truth_.zones[z].memory_blocks == 0) truth_.zones[z].memory_group = ZoneBit(z);
        MemoryResource::Zone& zone = truth_.memory[block.row].zones[z];
        const int64_t part = std::min(bytes, zone.allocatable - zone.free);
        zone.free += part;
        bytes -= part;
      }
    }
  }

  // What exporters see of a container; its memory is that of kubelet.
  void Show(const ContainerPlacement& container, int sign) {
    for (const ContainerPlacement::Cpus& each : container.cpus) shown_.zones[each.zone].cpu_free -= sign * each.count;
    for (const Allocation::Devices& each : container.devices) {
      shown_.devices[each.row].groups[each.group].free -= sign * each.count;
    }
  }

  void Release(const LivePod& pod) {
    for (const Allocation::Zone& each : pod.verdict.charge.zones) truth_.zones[each.zone].cpu_free += each.cpus;
    truth_.free_cpus |= pod.verdict.charge.cpus;
    for (const Allocation::Devices& each : pod.verdict.charge.devices) {
      truth_.devices[each.row].groups[each.group].free += each.count;
    }
    for (size_t i = 0; i < pod.verdict.containers.size(); ++i) {
      if (pod.request.pod.containers[i].kind == Container::Kind::kInit) continue;
      ReleaseMemory(pod.verdict.containers[i]);
      Show(pod.verdict.containers[i], -1);
    }
  }

  // All is said: without init containers all is known; else nothing more is free than in truth.
  void Compare() {
    const Machine& free = account_.Free(kNode);
    ++tally_.settled;
    if (!kind_.init_containers) {
      EXPECT_EQ(FreeOf(free), FreeOf(truth_));
      EXPECT_EQ(free.devices, truth_.devices);
    }
    bool lost = false;
    for (size_t z = 0; z < free.zones.size(); ++z) {
      EXPECT_LE(free.zones[z].cpu_free, truth_.zones[z].cpu_free) << "zone " << z;
      lost = lost || free.zones[z].cpu_free < truth_.zones[z].cpu_free;
    }
    tally_.lost += lost;
    for (const Account::PodFigures& each : account_.Pods(kNode)) {
      for (const auto& [name, pod] : pods_) {
        if (pod.placed.pod->uid != each.uid || !each.known || !pod.admitted) continue;
        ++tally_.known;
        tally_.wrong += pod.placed.pod->placement_mark->zones != ZonesOf(truth_, pod.verdict.charge);
      }
    }
    for (int i = 0; i < 5; ++i) {
      const Request request = RequestOf(*NewPod());
      const bool takes = Predict(truth_, request.pod).Admitted(), told = account_.Predict(kNode, request).Admitted();
      EXPECT_TRUE(takes || !told);
      tally_.asked += takes;
      tally_.refused += takes && !told;
    }
  }

  void End() {
    std::vector<LivePod*> running;
    for (auto& [name, pod] : pods_) {
      if (pod.admitted && !pod.ended) running.push_back(&pod);
    }
    if (running.empty()) return;
    LivePod& live = *running[Below(running.size())];
    // The API server says that it is to end before kubelet ends it.
    auto deleting = std::make_shared<cluster::Pod>(*live.placed.pod);
    deleting->deleting = true;
    Show(live, std::move(deleting));
    Release(live);
    live.ended = true;
  }

  void Show(LivePod& live, std::shared_ptr<cluster::Pod> pod) {
    account_.Leave(live.placed);
    live.placed.pod = std::move(pod);
    account_.Place(live.placed);
  }

  // The next thing that the watch of pods has not shown yet, of some pod.
  void ShowOne() {
    if (pods_.empty()) return;
    auto at = pods_.begin();
    std::advance(at, Below(pods_.size()));
    ShowNext(at);
  }
  bool ShowAny() {
    for (auto at = pods_.begin(); at != pods_.end(); ++at) {
      if (ShowNext(at)) return true;
    }
    return false;
  }
  bool ShowNext(std::map<std::string, LivePod>::iterator at) {
    LivePod& live = at->second;
    if (live.shown == 0) {
      auto bound = BoundPod(*live.placed.pod, live.placed.zones);
      Show(live, std::move(bound));
    } else if (live.ended) {
      account_.Leave(live.placed);
      std::erase(to_admit_, at->first);
      pods_.erase(at);
      return true;
    } else if (live.shown == 1 && live.start) {
      auto started = std::make_shared<cluster::Pod>(*live.placed.pod);
      started->start_time = live.start;
      started->phase = cluster::PodPhase::kRunning;
      Show(live, std::move(started));
    } else {
      return false;
    }
    ++live.shown;
    return true;
  }

  // What an exporter reads of kubelet now.
  void Publish() {
    cluster::NodeTopology object = object_;
    shown_.memory = truth_.memory;
    const std::vector<cluster::ZoneAmount> free = FreeOf(shown_);
    for (size_t i = 0; i < free.size(); ++i) {
      object.zones[i].available = free[i].amount;
      for (size_t member : ZonesIn{truth_.zones[i].memory_group}) {
        object.zones[i].memory_group.push_back(static_cast<int>(member));
      }
    }
    std::vector<std::string> names;
    for (const auto& [name, pod] : pods_) {
      if (pod.admitted && !pod.ended) names.push_back(name);
    }
    if (kind_.fingerprints) object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint(names));
    object.written = now_;
    published_.push_back(std::move(object));
  }

  void Deliver(size_t which) {
    account_.NodeChanged(kNode, &published_[which]);
    published_.erase(published_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::mt19937_64 random_;
  const AccountWorldKind kind_;
  const bool gpus_;
  int64_t gpus_of_zones_ = 0;
  Time now_ = Time(std::chrono::hours(24 * 365 * 56));
  cluster::NodeTopology object_;
  Machine truth_;
  Machine shown_;  // what exporters see of it
  Account account_{Defaults()};
  std::map<std::string, LivePod> pods_;
  std::deque<std::string> to_admit_;
  std::vector<cluster::NodeTopology> published_;
  size_t names_ = 0;
  Tally tally_;
};

}  // namespace huygens::kubelet::test
