// One instance of `huygens webhook` in the simulation: production's judges, group commit, ledger and service of reviews,
// on watches and calls that are simulated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "observe/log.h"
#include "observe/metrics.h"
#include "tests/simulation/network.h"
#include "webhook/group_commit.h"
#include "webhook/known_cluster.h"
#include "webhook/ledger.h"
#include "webhook/review_service.h"

namespace huygens::simulation {

// What instances share.
struct Surroundings {
  test::VirtualTime& time;
  ApiServer& server;
  observe::Log& log;
  observe::Metrics& metrics;
  const CallFaults& faults;
  WatchLag lag;
  // Changes the budget and the marks of transfers of a group as it was read, by a request that a webhook reviews.
  std::function<void(const cluster::BizGroupQuota& changed, Duration until, std::function<void(Status)> done)>
      set_budget;
};

// Wall clocks differ a little.
class SkewedClock final : public Clock {
 public:
  SkewedClock(const test::VirtualTime& time, Duration offset) : time_(time), offset_(offset) {}
  Time Now() const override { return time_.Now() + offset_; }

 private:
  const test::VirtualTime& time_;
  const Duration offset_;
};

class WebhookInstance final : public webhook::KnownCluster, public webhook::StatusStore {
 public:
  // `written`: is told of each charge before it is stored, with the group as it was.
  using Written = std::function<void(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after)>;

  WebhookInstance(const Surroundings& given, Stream random, Duration clock_offset,
                  const advances::AdvanceOptions& advance, Written written);

  // The answer comes as text, or never, if this instance goes before.
  void Ask(std::string review, Duration patience, std::function<void(std::string)> answer);

  webhook::Facts facts() const override;
  std::string NotReady() const override;

  void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) override;
  void Read(const std::string& name, Duration timeout, Done done) override;

  Line& line() { return line_; }
  Watch& watch(std::string_view kind) {
    return kind == kGroups ? groups_ : kind == kDeployments ? deployments_ : kind == kJobs ? jobs_ : replica_sets_;
  }
  const webhook::Ledger& ledger() const { return ledger_; }
  const webhook::GroupCommitCounts& counts() const { return commit_.counts(); }

 private:
  void WorkloadTold(const Change& change);

  const Surroundings given_;
  const SkewedClock clock_;
  const Written written_;
  const webhook::Rules rules_;
  ResourceNames names_;
  quota::DeviceClasses classes_;
  workloads::WorkloadIndex index_;
  webhook::Ledger ledger_;
  Line line_;
  webhook::GroupCommit commit_;
  webhook::ReviewService service_;
  Watch groups_, deployments_, replica_sets_, jobs_;
};

// As a reflector decodes it.
workloads::WorkloadObject Decoded(const Workload& workload, const ResourceNames& names);

}  // namespace huygens::simulation
