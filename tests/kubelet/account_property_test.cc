// The account against a true kubelet. The true machine is a predictor of its own that sees everything at once; the
// account sees reservations at once, pods late, and objects late, out of order or never.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "kubelet/account.h"
#include "kubelet/published.h"
#include "kubelet/settings.h"
#include "tests/kubelet/node.h"
#include "tests/kubelet/predictions.h"

namespace huygens::kubelet {
namespace {

using std::chrono::seconds;

constexpr NodeIndex kNode = 0;
constexpr ResourceId kGpu = 50;

class World {
 public:
  World(uint64_t seed, bool fingerprints) : random_(seed), fingerprints_(fingerprints), gpus_(seed % 2 == 1) {
    const std::vector<std::pair<int64_t, int64_t>> full(2 + Below(2), {8, 16});
    const std::vector<std::string> aligning = {"restricted", "single-numa-node", "best-effort"};
    // With devices in some zones only, a pod that ends before kubelet has seen the next ones may cost one of these its
    // zone, and memory may be held across a zone that gives none of it, which no placement tells: there only the sum of
    // all devices is certain.
    object_ = test::Object(full, Pick(gpus_ ? std::vector<std::string>{"none", "best-effort"} : aligning),
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
    EXPECT_EQ(FreeOf(account_.Free(kNode)), FreeOf(truth_));
    EXPECT_EQ(account_.Free(kNode).devices, truth_.devices);
    std::vector<const cluster::PlacedPod*> placed;
    for (auto& [name, pod] : pods_) placed.push_back(&pod.placed);
    EXPECT_FALSE(account_.Recount(kNode, placed));
  }

  size_t admitted() const { return admitted_; }
  size_t foreseen() const { return foreseen_; }

 private:
  struct LivePod {
    cluster::PlacedPod placed;  // as the account knows it
    Request request;
    Allocation charge;  // of the true machine, once admitted
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
    auto pod = test::GuaranteedPod("pod-" + std::to_string(++names_), containers);
    for (cluster::Container& container : pod->containers) {
      if (!gpus_ || Below(2) == 0) continue;
      container.limits.Set(kGpu, static_cast<int64_t>(Below(4)));
      container.requests.Set(kGpu, container.limits.Get(kGpu));
    }
    return pod;
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
    foreseen_ += !live.placed.zones.empty();
    live.request = request;
    account_.Place(live.placed);
    to_admit_.push_back(pod->name);
  }

  // Another scheduler's pod: the account hears of it with everybody else, and kubelet may refuse it.
  void Foreign() {
    auto pod = NewPod();
    LivePod& live = pods_[pod->name];
    live.placed = {test::BoundPod(*pod, {}), kNode, {}};
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
      ++admitted_;
    }
    live.ended = !verdict.Admitted();
    if (live.ended) return;
    live.admitted = true;
    live.charge = verdict.charge;
    live.start = now_;
    Charge(truth_, live.charge);
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
    Discharge(truth_, live.charge);
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
      auto bound = test::BoundPod(*live.placed.pod, live.placed.zones);
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
    const std::vector<cluster::ZoneAmount> free = FreeOf(truth_);
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
    if (fingerprints_) object.attributes.emplace_back("nodeTopologyPodsFingerprint", test::Fingerprint(names));
    object.written = now_;
    published_.push_back(std::move(object));
  }

  void Deliver(size_t which) {
    account_.NodeChanged(kNode, &published_[which]);
    published_.erase(published_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::mt19937_64 random_;
  const bool fingerprints_, gpus_;
  int64_t gpus_of_zones_ = 0;
  Time now_ = Time(std::chrono::hours(24 * 365 * 56));
  cluster::NodeTopology object_;
  Machine truth_;
  Account account_{Defaults()};
  std::map<std::string, LivePod> pods_;
  std::deque<std::string> to_admit_;
  std::vector<cluster::NodeTopology> published_;
  size_t names_ = 0;
  size_t admitted_ = 0;
  size_t foreseen_ = 0;
};

class KubeletAccountProperty : public testing::TestWithParam<bool> {};

TEST_P(KubeletAccountProperty, LetsNoPodThroughThatKubeletRefusesAndLosesNothing) {
  size_t admitted = 0, foreseen = 0;
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, GetParam());
    for (int step = 0; step < 120 && !HasFailure(); ++step) world.Step();
    world.Settle();
    admitted += world.admitted();
    foreseen += world.foreseen();
  }
  std::printf("%zu pods let through, the zones of %zu foreseen\n", admitted, foreseen);
  EXPECT_GT(foreseen, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, KubeletAccountProperty, testing::Bool(),
                         [](const auto& with) { return with.param ? "WithFingerprints" : "ByTime"; });

}  // namespace
}  // namespace huygens::kubelet
