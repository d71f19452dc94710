// Reads every interval what pods use, namespace by namespace, and adds it to the histories of their targets. One key. What
// one namespace cannot be asked does not keep the others from it; where nobody answers the scan ends, and is tried again
// after a pause.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "recommendations/targets.h"
#include "recommendations/use_source.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"

namespace huygens::recommendations {

class ScanReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    Targets& targets;
    reconcile::LeaderCalls& calls;
    net::EventLoop& loop;
    const Clock& clock;
    observe::Log& log;
    std::function<Duration()> monotonic;
    std::shared_ptr<UseSource> source;
    std::function<std::string()> not_ready;
  };
  explicit ScanReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "usageScan"; }
  void Start(reconcile::WorkKeys&) override {}
  std::string NotReady() const override { return environment_.not_ready(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit("scan"); }
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override { ++term_; }

  struct Counts {
    uint64_t scans = 0, failed_namespaces = 0;
    uint64_t counted = 0, left_out = 0;  // samples
    Duration last{};                     // how long the last scan took, waiting included
    Duration last_work{};                // of that on the loop's thread
  };
  const Counts& counts() const { return counts_; }
  // Why the last scan could not be made; empty: it could.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Scan {
    std::vector<std::string> namespaces;
    size_t next = 0, failed = 0;
    Duration began{}, work{};
    uint64_t term = 0;
    Status first_fault;
    Done done;
  };

  void ReadNext(const std::shared_ptr<Scan>& scan);
  void Take(const std::shared_ptr<Scan>& scan, const std::shared_ptr<PodUses>& uses, size_t from);
  void End(const std::shared_ptr<Scan>& scan);

  const Environment environment_;
  uint64_t term_ = 0;
  Counts counts_;
  std::string trouble_;
  observe::RateLimit warnings_{std::chrono::seconds(60)};
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::recommendations
