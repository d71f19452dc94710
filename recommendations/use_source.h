// Where it is read what pods use: the metrics API of the cluster (metrics.k8s.io), or Prometheus. Blocking; any thread,
// with a client of its own for each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "recommendation_api/recommendation.h"
#include "recommendations/pod_use.h"
#include "usage_sources/series.h"

namespace huygens::recommendations {

class UseSource {
 public:
  virtual ~UseSource() = default;
  virtual std::string name() const = 0;  // for messages; no secrets

  // What the pods of a namespace use now. `api_server` is the caller's client, for sources that need it. An error says
  // nothing about pods: those that were not told of are not idle. NotFound: there is no such source.
  virtual StatusOr<PodUses> Read(net::Client& api_server, const std::string& namespace_name, Time now,
                                 Duration timeout) = 0;
  // What each pod of a target used in the past, all of its containers together, every `step`: pod by pod and resource by
  // resource, in the order of time. After an error some of it has been visited.
  using VisitPast = std::function<void(std::string_view pod, Time time, recommend::Resource resource, int64_t used)>;
  virtual bool has_past() const { return false; }
  virtual Status ReadPast(const recommendation_api::Target& /*target*/, Time /*first*/, Time /*last*/,
                          Duration /*step*/, const VisitPast& /*visit*/) {
    return Refused("the source has no past");
  }
  // Ends calls of the source's own that are blocked now, within milliseconds. Any thread.
  virtual void Interrupt() {}
};

std::unique_ptr<UseSource> MakeMetricsApiUse();

struct PrometheusUseOptions {
  net::ClientOptions server;
  net::Headers headers;
  usage_sources::Scope scope;
  Duration timeout = std::chrono::seconds(30);
};
std::unique_ptr<UseSource> MakePrometheusUse(PrometheusUseOptions options);

// PromQL. The first two by labels pod and container at one moment; the last two by label pod, of all containers.
std::string CpuQuery(std::string_view namespace_name, const usage_sources::Scope& scope);
std::string MemoryQuery(std::string_view namespace_name, const usage_sources::Scope& scope);
std::string PastCpuQuery(const recommendation_api::Target& target, const usage_sources::Scope& scope);
std::string PastMemoryQuery(const recommendation_api::Target& target, const usage_sources::Scope& scope);
// A regular expression of the names that pods of the target had, past ones too, as its controller makes them.
std::string PodNames(const recommendation_api::Target& target);

}  // namespace huygens::recommendations
