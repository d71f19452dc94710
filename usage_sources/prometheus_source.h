// Use as Prometheus has it: each resource of the options as usage_sources/prometheus_resource.h fetches it, some of
// them at a time. What is said to the operator about all of them is put together here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "usage/options.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/prometheus_client.h"
#include "usage_sources/prometheus_resource.h"
#include "usage_sources/queries.h"
#include "usage_sources/source.h"

namespace huygens::usage_sources {

struct PrometheusOptions {
  net::ClientOptions
      server;            // max_reply_bytes: of one answer, of which about as much again is kept until it is applied
  net::Headers headers;  // with each query
  usage::Options usage;
  std::vector<ResourceQueries> queries;  // by position in usage.resources; may be shorter
  Scope scope;
  Duration timeout = std::chrono::seconds(30);  // of one query
  size_t concurrency = 1;                       // queries at a time, of as many resources
};

class PrometheusSource final : public Source {
 public:
  // Asks nothing yet. `known` outlives the source.
  static StatusOr<std::unique_ptr<PrometheusSource>> Create(PrometheusOptions options, const PlacedPods& known);

  std::string name() const override;
  StatusOr<Progress> Refresh(Time now, const Deliver& deliver) override;
  void Cancel() override;

  // Of all queries so far. Between refreshes.
  PrometheusClient::Traffic traffic() const;

 private:
  using Clients = std::vector<std::unique_ptr<PrometheusClient>>;
  PrometheusSource(PrometheusOptions options, Clients clients, const PlacedPods& known);

  Status LookForRecordings(Time now);
  // Each resource, `clients_.size()` at a time. `deliver` is called by one thread at a time.
  std::vector<Status> RefreshAll(Time now, const Deliver& deliver, std::vector<PrometheusResource::Outcome>& outcomes);
  std::vector<std::string> Notices(Time now) const;

  const PrometheusOptions options_;
  const Clients clients_;  // at least one
  std::vector<PrometheusResource> resources_;
  std::optional<Time> asked_;              // last
  TextSet recorded_;                       // selectors of what the recording rules write now
  std::string recordings_fault_;           // why that could not be had; empty: it could
  std::optional<int64_t> looked_in_slot_;  // for those
};

}  // namespace huygens::usage_sources
