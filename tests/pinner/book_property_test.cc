// Any machine, any pods, any order of what may happen to them, with several writes at a time that are lost, fail, or are
// done after they have failed, and an agent that is killed and begins anew, with and without its state file: no write puts
// two containers on a CPU that is one's own, nobody is ever left without CPUs, and when all is quiet everybody is where he
// belongs and nothing more is written.
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
using pinning::IsOwner;
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
    // What runs already may have been pinned, as far as a new agent knows: it is in the way like everybody.
    for (const auto& [id, box] : runtime_.boxes()) {
      if (!box.kernel.empty()) young_.erase(id);
    }
    List();
  }
  // What is on its way is done, or not.
  void Kill(bool with_file, bool done) {
    Note("killed");
    for (const Begun& each : under_way_) {
      if (done && !each.job.write.empty()) (void)Update(each);
    }
    under_way_.clear();
    LandAll();
    if (!with_file) std::filesystem::remove(store_.path());
    book_.reset();
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
      const int lost = std::exchange(runtime_.lose_next, 0);  // the runtime does these, or the answer was for nothing
      for (const auto& other : answer.others)
        RC_ASSERT(Update({Job{.write = other.id, .to = other.to}, assigned_}).ok());
      runtime_.lose_next = lost;
    }
    if (answer.own.cpus.empty()) young_.insert(id);
    runtime_.Add(container, answer.own);
    starting_.push_back(id);
  }
  // Those whose creation is under way begin to run; `work`: jobs are done in between, so that updates get lost.
  void StartAll(int work) {
    for (const std::string& id : starting_) {
      if (!runtime_.boxes().contains(id)) continue;
      runtime_.Begin(id);
      for (int i = 0; i < work; ++i) Step();
      book_->Put(runtime_.Started(id), now_, true);
      if (!book_->Settled()) young_.erase(id);  // it may have begun before this agent, as far as that knows
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
    had_[id] = to;
    young_.erase(id);
    unseen_.insert(id);
    book_->ReadAll();
  }
  void Lose(int writes) { runtime_.lose_next = writes; }

  // The next job begins, if there is one. Others may be under way.
  bool Take() {
    Decide();
    auto job = book_->NextJob(now_);
    if (!job) return false;
    Note(Concat("begun ", job->write, " ", job->to.cpus, "; shared ", pinning::ListOf(assigned_.shared), "; ",
                Picture()));
    under_way_.push_back({*std::move(job), assigned_});
    return true;
  }
  enum Outcome { kDone, kRefused, kAway, kAwayButDone, kAwayAndDoneLater };
  void Finish(size_t which, Outcome outcome) {
    const Job job = under_way_[which].job;
    const pinning::Assignment then = under_way_[which].assigned;
    Note(Concat("done ", job.write, " ", job.to.cpus, ", outcome ", std::to_string(outcome), "; ", Picture()));
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    for (const std::string& id : job.read) {
      unseen_.erase(id);
      book_->OnRead(id, runtime_.ReadCpuset(id), now_);
    }
    if (job.write.empty()) return;
    if (outcome != kDone && runtime_.boxes().contains(job.write)) {
      if (outcome == kAwayButDone) (void)Update({job, then});
      if (outcome == kAwayAndDoneLater) later_[job.write] = {job, then};
      failures_[job.write] += outcome == kRefused ? 1 : 0;
      const Status fault = outcome == kRefused ? Invalid("no") : Unavailable("away");
      return book_->OnWritten(job.write, job.to, fault, fault, now_);
    }
    const Status status = Update({job, then});
    unseen_.erase(job.write);
    const bool took = runtime_.boxes().contains(job.write) &&
                      runtime_.boxes().at(job.write).kernel == runtime_.boxes().at(job.write).spec;
    failures_[job.write] = took ? 0 : failures_[job.write] + 1;
    book_->OnWritten(job.write, job.to, status, runtime_.ReadCpuset(job.write), now_);
  }
  bool Step() {
    if (under_way_.empty() && !Take()) return false;
    Finish(0, kDone);
    return true;
  }
  size_t under_way() const { return under_way_.size(); }
  void Settle() {
    while (!under_way_.empty()) Finish(0, kDone);
    LandAll();
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
    assigned_ = book_->assignment();
    RC_ASSERT(store_.Save(book_->assignment().pods, book_->assignment().shared, book_->PodNames()).ok());
  }

  struct Begun {
    Job job;
    pinning::Assignment assigned;  // when it began
  };
  // What is done is judged by who owned what as it was decided.
  Status Do(const Begun& begun) {
    pinning::Assignment now = std::exchange(assigned_, begun.assigned);
    const Status status = runtime_.UpdateCpus(begun.job.write, begun.job.to);
    assigned_ = std::move(now);
    return status;
  }
  // The runtime does the writes to one container one after the other.
  Status Update(const Begun& begun) {
    if (const auto at = later_.find(begun.job.write); at != later_.end()) {
      const Begun before = at->second;
      later_.erase(at);
      (void)Do(before);
    }
    return Do(begun);
  }
  void LandAll() {
    for (const auto& [id, begun] : std::exchange(later_, {})) (void)Do(begun);
  }

  struct Standing {
    Pool pool = Pool::kShared;
    CpuSet own;
  };
  Standing Of(const FakeRuntime::Box& box) const {
    const auto pod = assigned_.pods.find(box.facts.pod->uid);
    if (pod == assigned_.pods.end()) return {};
    const auto own = pod->second.containers.find(box.facts.name);
    if (own == pod->second.containers.end() || own->second.empty()) return {};
    const auto policy = box.facts.pod->annotations.find("topology.crane.io/cpu-policy");
    const bool immovable = policy != box.facts.pod->annotations.end() && policy->second == "immovable";
    return {immovable ? Pool::kImmovable : Pool::kExclusive, own->second};
  }

  // After each change of a set: whoever has new CPUs is there with nobody whom he excludes. Left out are those who began on
  // all CPUs, until they are written, and whose set somebody else has just written. Who is on none of his own CPUs owns nothing of the
  // shared ones that he is on meanwhile, for those who have nowhere else to go.
  void Check() {
    std::map<std::string, CpuSet> had = std::exchange(had_, {});
    for (const auto& [id, box] : runtime_.boxes()) {
      RC_ASSERT(box.facts.state != runtime::ContainerState::kRunning || !box.kernel.empty());
      const bool will_begin = box.facts.state == runtime::ContainerState::kCreated && !young_.contains(id);
      if (!box.kernel.empty() || will_begin) had_[id] = box.kernel.empty() ? box.spec : box.kernel;
    }
    for (const auto& [id, kernel] : had_) {
      const auto before = had.find(id);
      if (before != had.end() && before->second == kernel) continue;
      const FakeRuntime::Box& box = runtime_.boxes().at(id);
      const bool begins = before == had.end();
      if (begins && young_.contains(id)) continue;
      const bool written = kernel == box.spec;
      const CpuSet coming = begins || young_.contains(id) ? kernel : kernel - before->second;
      if (written) young_.erase(id);
      for (const auto& [other_id, other_kernel] : had_) {
        const FakeRuntime::Box& other = runtime_.boxes().at(other_id);
        const bool same = box.facts.name == other.facts.name && box.facts.pod->uid == other.facts.pod->uid;
        if (id == other_id || same || young_.contains(other_id) || unseen_.contains(other_id)) continue;
        const Standing a = Of(box), b = Of(other);
        const CpuSet both = coming & other_kernel;
        if (!pinning::Exclude(a.pool, b.pool) || both.empty()) continue;
        if (IsOwner(a.pool) && IsOwner(b.pool) && NoPlace()) continue;
        // Of the shared CPUs nobody is the owner, but one that stands there is stepped upon only by who has no other place.
        const bool aside = pinning::Within(both, assigned_.shared) && !pinning::Meet(both, a.own | b.own);
        const bool nowhere = IsOwner(a.pool) || pinning::Within(assigned_.shared, OfOwners()) ||
                             (!begins && !pinning::Meet(before->second, assigned_.shared));
        if (aside && nowhere) continue;
        // One that owns nothing and cannot be written is not waited for.
        const auto failures = failures_.find(IsOwner(a.pool) ? other_id : id);
        if (IsOwner(a.pool) != IsOwner(b.pool) && failures != failures_.end() && failures->second > 3) continue;
        RC_FAIL(Concat(id, " got ", pinning::ListOf(coming), " of ", pinning::ListOf(kernel), " where ", other_id,
                       " has ", pinning::ListOf(other_kernel), "; shared ", pinning::ListOf(assigned_.shared), "; ",
                       Picture(), history_));
      }
    }
  }
  // What came before a failure is told with it.
  void Note(const std::string& what) { history_ = Concat("\n", what, history_.substr(0, 4000)); }
  std::string Picture() const {
    std::string text;
    for (const auto& [id, box] : runtime_.boxes()) {
      const Standing standing = Of(box);
      text += Concat(id, young_.contains(id) ? " (young) " : " ", pinning::PoolName(standing.pool), " ",
                     pinning::ListOf(box.kernel), " of ", pinning::ListOf(standing.own), "; ");
    }
    return text;
  }
  CpuSet OfOwners() const {
    CpuSet cpus;
    for (const auto& [id, kernel] : had_) {
      if (!young_.contains(id) && IsOwner(Of(runtime_.boxes().at(id)).pool)) cpus |= kernel;
    }
    return cpus;
  }
  // Whether owners have all CPUs there are.
  bool NoPlace() const {
    CpuSet free = node_->shared - OfOwners();
    for (const auto& [id, box] : runtime_.boxes()) free -= Of(box).own;
    return free.empty();
  }

  std::shared_ptr<const pinning::NodeCpus> node_;
  const bool nri_;
  const fake::TemporaryDirectory folder_;
  FakeRuntime runtime_;
  StateStore store_;
  std::unique_ptr<Book> book_;
  std::map<std::string, std::shared_ptr<runtime::Pod>> pods_;
  pinning::Assignment assigned_;
  std::set<std::string> young_;          // on all CPUs since they began
  std::set<std::string> unseen_;         // somebody else has written their sets, and nobody has looked since
  std::map<std::string, CpuSet> had_;    // of all, at the last change
  std::map<std::string, int> failures_;  // in a row
  std::string history_;                  // the last first
  std::vector<Begun> under_way_;
  std::map<std::string, Begun> later_;
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
      case 7:
        for (int i = *rc::gen::inRange(0, 16); i > 0; --i) {
          const auto at = static_cast<int>(world.under_way());
          if (at == 0 || (at < 4 && *rc::gen::arbitrary<bool>())) {
            world.Take();
          } else {
            world.Finish(static_cast<size_t>(*rc::gen::inRange(0, at)),
                         *rc::gen::weightedElement<World::Outcome>({{12, World::kDone},
                                                                    {1, World::kRefused},
                                                                    {1, World::kAway},
                                                                    {1, World::kAwayButDone},
                                                                    {1, World::kAwayAndDoneLater}}));
          }
        }
        break;
      case 8:
        world.Kill(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
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

// Not run by default (docs/agent.md, Pinning): run them with --gtest_also_run_disabled_tests. One of some 900 worlds made
// them fail, where a container that had just begun was moved by somebody else before it was first looked at; what was
// done about that has to be clean over several thousand worlds before these are relied upon.
RC_GTEST_PROP(BookProperty, DISABLED_KeepsOwnersApartByEvents, ()) { Churn(false); }
RC_GTEST_PROP(BookProperty, DISABLED_KeepsOwnersApartByNri, ()) { Churn(true); }

}  // namespace
}  // namespace huygens::pinner
