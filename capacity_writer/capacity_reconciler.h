// The master of `huygens controller`: keeps attributes of zones as external facts have them (docs/real-capacity.md).
// While this instance leads it asks the sources, plans every topology object by the answers (real_capacity/plan.h), and
// writes those whose plan says so: so many a second over the cluster, never an object that is not there, and never a
// zone. A key is one object, "crane/worker-1". The loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/backoff.h"
#include "base/resource.h"
#include "base/text.h"
#include "base/time.h"
#include "capacity_writer/capacity_news.h"
#include "capacity_writer/fact_poller.h"
#include "capacity_writer/fact_source.h"
#include "capacity_writer/watched_zones.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/capacity_metrics.h"
#include "observe/controller_metrics.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "real_capacity/plan.h"
#include "real_capacity/write_rate.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"

namespace huygens::capacity_writer {

struct CapacityOptions {
  real_capacity::Rules rules;
  FactSourceOptions sources;
  Duration interval = std::chrono::seconds(30);  // between two questions to the sources
  bool writes = false;                           // else only what would be written is told
  double writes_per_second = 10;                 // over the cluster; at least 1
  bool carry_over = false;                       // write by JSON patch where zones are no map; else not at all
  bool take_over = false;                        // write over attributes that others own
  std::vector<cluster::TopologySource> kinds = {cluster::TopologySource::kCrane};
};

class CapacityReconciler final : public reconcile::Reconciler {
 public:
  // All outlive it.
  struct Environment {
    reconcile::LeaderCalls& calls;
    const net::ClientOptions& api_server;
    net::EventLoop& loop;
    const Clock& clock;
    observe::Log& log;
    observe::Metrics& metrics;
    std::function<Duration()> monotonic;
    Random random;
    std::string instance;  // this one, for Events
  };

  CapacityReconciler(CapacityOptions options, Environment environment);
  ~CapacityReconciler() override;

  std::string_view name() const override { return "realCapacity"; }
  void Start(reconcile::WorkKeys& keys) override;
  std::string NotReady() const override;
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override;
  void RefreshMetrics(observe::Metrics& metrics) const override;
  void Describe(observe::Readiness& readiness) const override;

 private:
  // How one kind can be written, as its definition says.
  struct Kind {
    cluster::TopologySource source;
    std::unique_ptr<WatchedZones> zones;
    std::optional<bool> is_map;  // absent: not known yet
    std::string fault;           // why objects of it cannot be written
    Duration asked{};            // when the definition was last asked for, by the monotonic clock
    bool asking = false;
  };
  struct Written {
    bool conflict = false;  // with another writer's field
    Status status;
  };

  Kind* KindOfKey(std::string_view key, std::string_view& node);
  std::string KeyOf(const Kind& kind, std::string_view node) const;
  void Take(const std::vector<real_capacity::Answer>& answers);
  void Note(const std::vector<real_capacity::Answer>& answers);
  void CountUnknown();
  void ForgetZones();
  void CountZone(const real_capacity::Finding& finding);
  void PlanAll();
  real_capacity::Plan PlanOf(const Kind& kind, const ZoneObject& object) const;
  void AskForDefinition(Kind& kind);
  void Write(Kind& kind, const ZoneObject& object, const real_capacity::Plan& plan, const std::string& key, Done done);
  void Ended(const ZoneObject& object, const real_capacity::Plan& plan, const std::string& key, const Written& written,
             const Done& done);

  const CapacityOptions options_;
  const Environment environment_;
  const std::vector<std::string> names_;  // of all attributes that there may be of huygens
  real_capacity::WriteRate rate_;
  ResourceNames resource_names_;
  std::vector<Kind> kinds_;
  reconcile::WorkKeys* keys_ = nullptr;
  std::unique_ptr<FactPoller> poller_;  // while this instance leads
  std::vector<real_capacity::QueryFacts> facts_;
  bool answered_ = false;  // all queries were asked once in this term
  TextMap<Time> written_;  // by key, in this term
  CapacityNews news_;
  observe::RealCapacityCounts counts_;
  std::vector<observe::StateChange> query_news_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
  observe::RateLimit reports_{std::chrono::seconds(10)};
};

}  // namespace huygens::capacity_writer
