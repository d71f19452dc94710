#include "recommendations/scan_reconciler.h"

#include <algorithm>
#include <span>
#include <utility>

namespace huygens::recommendations {

namespace {

constexpr Duration kReadTimeout = std::chrono::seconds(30);
constexpr size_t kPodsAtOnce = 500;  // about a millisecond, then others on the thread have their turn
constexpr size_t kFaultsInARow = 3;  // from the first namespace on: then it is not the namespaces

}  // namespace

void ScanReconciler::Reconcile(const std::string& /*key*/, Done done) {
  auto scan = std::make_shared<Scan>();
  scan->namespaces = environment_.targets.Namespaces();
  scan->began = environment_.monotonic();
  scan->term = term_;
  scan->done = std::move(done);
  environment_.targets.BeginScan();
  ReadNext(scan);
}

void ScanReconciler::ReadNext(const std::shared_ptr<Scan>& scan) {
  const bool nobody_answers = scan->failed >= kFaultsInARow && scan->failed == scan->next;
  if (scan->next == scan->namespaces.size() || nobody_answers) return End(scan);
  const std::string& name = scan->namespaces[scan->next++];
  environment_.calls.Post([this, scan, name, source = environment_.source, now = environment_.clock.Now()](
                              net::Client& client, Duration longest) -> kube::CallPool::Then {
    auto uses = std::make_shared<StatusOr<PodUses>>(source->Read(client, name, now, std::min(kReadTimeout, longest)));
    return [this, scan, name, uses] {
      if (uses->ok()) return Take(scan, std::make_shared<PodUses>(std::move(**uses)), 0);
      ++scan->failed;
      ++counts_.failed_namespaces;
      if (scan->first_fault.ok()) scan->first_fault = Annotate(uses->status(), name);
      ReadNext(scan);
    };
  });
}

void ScanReconciler::Take(const std::shared_ptr<Scan>& scan, const std::shared_ptr<PodUses>& uses, size_t from) {
  if (scan->term != term_) return;
  const Duration began = environment_.monotonic();
  const size_t count = std::min(kPodsAtOnce, uses->pods.size() - from);
  const Targets::Taken taken =
      environment_.targets.Take(std::span(uses->pods).subspan(from, count), environment_.clock.Now());
  counts_.counted += taken.counted;
  counts_.left_out += taken.left_out;
  scan->work += environment_.monotonic() - began;
  if (from + count < uses->pods.size()) {
    return environment_.loop.Post([this, scan, uses, next = from + count, alive = std::weak_ptr<bool>(alive_)] {
      if (!alive.expired()) Take(scan, uses, next);
    });
  }
  counts_.left_out += uses->left_out;
  ReadNext(scan);
}

void ScanReconciler::End(const std::shared_ptr<Scan>& scan) {
  const Duration now = environment_.monotonic();
  counts_.last = now - scan->began;
  counts_.last_work = scan->work;
  trouble_ =
      scan->first_fault.ok() ? std::string() : Concat(environment_.source->name(), ": ", Message(scan->first_fault));
  if (!scan->namespaces.empty() && scan->failed == scan->next) {
    return scan->done({.status = Annotate(scan->first_fault, environment_.source->name())});
  }
  ++counts_.scans;
  if (!scan->first_fault.ok()) {
    if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
      environment_.log.Warn("cannot read what pods use", {{"namespaces", scan->failed}, {"first", trouble_}});
    }
  }
  const Duration interval = environment_.targets.pools().configuration().interval;
  scan->done({.again = std::max(interval - (now - scan->began), Duration::zero())});
}

}  // namespace huygens::recommendations
