#include "tests/simulation/controller_instance.h"

#include <utility>

namespace huygens::simulation {

using cluster::BizGroupQuota;
using cluster::QuotaTransfer;

namespace {

constexpr Duration kPatience = std::chrono::seconds(5);

}  // namespace

// As LeaderCalls.
template <typename T>
std::function<void(StatusOr<T>)> ControllerInstance::OfThisTerm(std::function<void(StatusOr<T>)> done) {
  return [this, term = term_, done = std::move(done)](StatusOr<T> answer) {
    if (leads_ && term == term_) done(std::move(answer));
  };
}

class ControllerInstance::Store final : public controller::GroupStore {
 public:
  explicit Store(ControllerInstance& owner) : owner_(owner) {}

  void WriteStatus(const BizGroupQuota& group, Done done) override {
    Call([&server = owner_.given_.server, group] { return server.WriteStatus(group); }, std::move(done));
  }
  void WriteFinalizers(const BizGroupQuota& group, Done done) override {
    Call([&server = owner_.given_.server, group] { return server.WriteFinalizers(group); }, std::move(done));
  }
  void WriteBudget(const BizGroupQuota& group, const cluster::QuotaAmounts& hard, const std::string& transfer,
                   bool marked, Done done) override {
    if (!owner_.leads_) return;
    BizGroupQuota changed = group;
    for (const auto& [key, amount] : hard) quota::Set(changed.hard, key, amount);
    changed.transfers.erase(transfer);
    if (marked) changed.transfers.insert(transfer);
    owner_.line_.CallSlow<BizGroupQuota>(
        kPatience,
        [given = owner_.given_, changed,
         until = owner_.given_.time.Monotonic() + kPatience](std::function<void(StatusOr<BizGroupQuota>)> answer) {
          given.set_budget(changed, until, [&server = given.server, name = changed.name, answer](const Status& status) {
            answer(status.ok() ? server.ReadGroup(name) : StatusOr<BizGroupQuota>(status));
          });
        },
        owner_.OfThisTerm<BizGroupQuota>(std::move(done)));
  }
  void Read(const std::string& name, Done done) override {
    Call([&server = owner_.given_.server, name] { return server.ReadGroup(name); }, std::move(done));
  }

 private:
  void Call(std::function<StatusOr<BizGroupQuota>()> at_server, Done done) {
    if (!owner_.leads_) return;
    owner_.line_.Call<BizGroupQuota>(kPatience, std::move(at_server),
                                     owner_.OfThisTerm<BizGroupQuota>(std::move(done)));
  }

  ControllerInstance& owner_;
};

class ControllerInstance::Transfers final : public controller::TransferStore {
 public:
  explicit Transfers(ControllerInstance& owner) : owner_(owner) {}

  void WriteStatus(const QuotaTransfer& transfer, Done done) override {
    Call([&server = owner_.given_.server, transfer] { return server.WriteTransfer(transfer, true); }, std::move(done));
  }
  void WriteFinalizers(const QuotaTransfer& transfer, Done done) override {
    Call([&server = owner_.given_.server, transfer] { return server.WriteTransfer(transfer, false); }, std::move(done));
  }
  void Read(const std::string& name, Done done) override {
    Call([&server = owner_.given_.server, name] { return server.ReadTransfer(name); }, std::move(done));
  }

 private:
  void Call(std::function<StatusOr<QuotaTransfer>()> at_server, Done done) {
    if (!owner_.leads_) return;
    owner_.line_.Call<QuotaTransfer>(kPatience, std::move(at_server),
                                     owner_.OfThisTerm<QuotaTransfer>(std::move(done)));
  }

  ControllerInstance& owner_;
};

reconcile::ReconcileLoop::Environment ControllerInstance::LoopEnvironment(const Stream& random) {
  return {.clock = clock_,
          .log = given_.log,
          .monotonic = [&time = given_.time] { return time.Monotonic(); },
          .after = [this](Duration delay, auto task) { line_.After(delay, std::move(task)); },
          .random = [stream = random]() mutable { return stream.Uniform(); }};
}

ControllerInstance::ControllerInstance(const Surroundings& given, Stream random, Duration resync)
    : given_(given), clock_(given.time, Duration::zero()), line_(given.time, random.Fork(1), given.faults) {
  reconciler_ = std::make_unique<controller::QuotaReconciler>(
      *this, std::make_unique<Store>(*this),
      controller::QuotaReconciler::Environment{clock_, given.log, [&time = given.time] { return time.Monotonic(); }},
      controller::QuotaReconciler::Options{});
  transfers_ = std::make_unique<controller::TransferReconciler>(
      *this, std::make_unique<Store>(*this), std::make_unique<Transfers>(*this),
      controller::TransferReconciler::Environment{clock_, given.log}, quota::KeyOptions{}, quota::ReplicaOptions{});
  constexpr reconcile::WorkQueue::Options kEight{.parallel = 8};
  loop_ = std::make_unique<reconcile::ReconcileLoop>(*reconciler_, LoopEnvironment(random.Fork(2)), resync, kEight);
  transfer_loop_ =
      std::make_unique<reconcile::ReconcileLoop>(*transfers_, LoopEnvironment(random.Fork(9)), resync, kEight);
  uint64_t number = 10;
  for (const std::string_view kind : kAllKinds) {
    watches_.emplace(kind, std::make_unique<Watch>(given.server, given.time, kind, random.Fork(number++), given.lag,
                                                   [this](const Change& change) { Told(change); }));
  }
  std::vector<reconcile::FreshStart::Kind> kinds;
  for (const auto& [name, watch] : watches_) {
    kinds.push_back({.name = name,
                     .ask =
                         [this, kind = name](auto answer) {
                           line_.Call<uint64_t>(
                               std::chrono::seconds(5),
                               [&server = given_.server, kind] { return server.Version(kind); }, std::move(answer));
                         },
                     .seen = [&watch = *watch] { return watch.seen(); },
                     .catch_up = [&watch = *watch](uint64_t) { watch.CatchUp(); }});
  }
  fresh_ = std::make_unique<reconcile::FreshStart>(std::move(kinds));
}

void ControllerInstance::Told(const Change& change) {
  if (change.group != nullptr) {
    if (change.gone) return Remove(change.group->name);
    return Set(*change.group);
  }
  if (change.transfer != nullptr) {
    if (change.gone) return RemoveTransfer(change.transfer->uid);
    return Set(*change.transfer);
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
  ++term_;
  fresh_->Begin();
  Begin();
}

void ControllerInstance::Begin() {
  if (!leads_ || loop_->leading()) return;
  fresh_->Look(given_.time.Monotonic());
  if (NotReady().empty()) {
    loop_->Lead();
    return transfer_loop_->Lead();
  }
  line_.After(std::chrono::milliseconds(200), [this] { Begin(); });
}

void ControllerInstance::StopLeading() {
  leads_ = false;
  ++term_;
  fresh_->End();
  loop_->StopLeading();
  transfer_loop_->StopLeading();
}

std::string ControllerInstance::NotReady() const {
  for (const auto& [kind, watch] : watches_) {
    if (!watch->listed()) return "waiting for the first lists";
  }
  return fresh_->Behind();
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
