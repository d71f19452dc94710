#include "tests/simulation/controller_instance.h"

#include <algorithm>
#include <utility>

namespace huygens::simulation {

using cluster::BizGroupQuota;

// Answers come to the term in which was asked, as those of LeaderCalls.
class ControllerInstance::Store final : public controller::GroupStore {
 public:
  explicit Store(ControllerInstance& owner) : owner_(owner) {}

  void WriteStatus(const BizGroupQuota& group, Done done) override {
    Call([&server = owner_.given_.server, group] { return server.WriteStatus(group); }, std::move(done));
  }
  void WriteFinalizers(const BizGroupQuota& group, Done done) override {
    Call([&server = owner_.given_.server, group] { return server.WriteFinalizers(group); }, std::move(done));
  }
  void WriteBudget(const BizGroupQuota&, const cluster::QuotaAmounts&, const std::string&, bool, Done done) override {
    done(absl::UnimplementedError("nobody transfers here"));
  }
  void Read(const std::string& name, Done done) override {
    Call([&server = owner_.given_.server, name] { return server.ReadGroup(name); }, std::move(done));
  }

 private:
  void Call(std::function<StatusOr<BizGroupQuota>()> at_server, Done done) {
    if (!owner_.leads_) return;
    owner_.line_.Call<BizGroupQuota>(
        std::chrono::seconds(5), std::move(at_server),
        [&owner = owner_, term = owner_.term_, done = std::move(done)](StatusOr<BizGroupQuota> answer) {
          if (owner.leads_ && term == owner.term_) done(std::move(answer));
        });
  }

  ControllerInstance& owner_;
};

ControllerInstance::ControllerInstance(const Surroundings& given, Stream random, Duration resync)
    : given_(given), clock_(given.time, Duration::zero()), line_(given.time, random.Fork(1), given.faults) {
  const auto monotonic = [&time = given.time] { return time.Monotonic(); };
  reconciler_ = std::make_unique<controller::QuotaReconciler>(
      *this, std::make_unique<Store>(*this), controller::QuotaReconciler::Environment{clock_, given.log, monotonic},
      controller::QuotaReconciler::Options{});
  loop_ = std::make_unique<reconcile::ReconcileLoop>(
      *reconciler_,
      reconcile::ReconcileLoop::Environment{
          .clock = clock_,
          .log = given.log,
          .monotonic = monotonic,
          .after = [this](Duration delay, auto task) { line_.After(delay, std::move(task)); },
          .random = [stream = random.Fork(2)]() mutable { return stream.Uniform(); }},
      resync, reconcile::WorkQueue::Options{.parallel = 8});
  uint64_t number = 3;
  for (const std::string_view kind : kAllKinds) {
    watches_.emplace(kind, std::make_unique<Watch>(given.server, given.time, kind, random.Fork(number++), given.lag,
                                                   [this](const Change& change) { Told(change); }));
  }
}

void ControllerInstance::Told(const Change& change) {
  if (change.group != nullptr) {
    if (change.gone) return Remove(change.group->name);
    return Set(*change.group);
  }
  const workloads::WorkloadObject* known = index_.ByUid(change.workload->uid);
  if (change.gone) {
    if (known == nullptr) return;
    Tell(known, nullptr);
    return index_.Remove(change.workload->uid);
  }
  const workloads::WorkloadObject now = Decoded(*change.workload, names());
  Tell(known, &now);
  index_.Set(now);
}

void ControllerInstance::Lead() {
  leads_ = true;
  current_ = false;
  ++term_;
  Begin();
}

void ControllerInstance::Begin() {
  if (!leads_ || loop_->leading()) return;
  // Production begins with what its watches have told so far, which may be less than the last leader knew and gave
  // reservations up for: until then the status can say less than is stored.
  current_ = current_ ||
             std::all_of(watches_.begin(), watches_.end(), [](const auto& each) { return each.second->current(); });
  if (current_ && NotReady().empty()) return loop_->Lead();
  line_.After(std::chrono::milliseconds(200), [this] { Begin(); });
}

void ControllerInstance::StopLeading() {
  leads_ = false;
  ++term_;
  loop_->StopLeading();
}

std::string ControllerInstance::NotReady() const {
  for (const auto& [kind, watch] : watches_) {
    if (!watch->listed()) return "waiting for the first lists";
  }
  return {};
}

// As reservations name kinds: "Deployment.apps".
Watch* ControllerInstance::Find(std::string_view kind) const {
  const auto found = watches_.find(kind.substr(0, kind.find('.')));
  return found == watches_.end() ? nullptr : found->second.get();
}

Duration ControllerInstance::Silence(std::string_view kind) const {
  const Watch* watch = Find(kind);
  return watch == nullptr ? Duration::zero() : watch->Silence();
}

void ControllerInstance::CatchUp(std::string_view kind) {
  if (Watch* watch = Find(kind)) watch->CatchUp();
}

}  // namespace huygens::simulation
