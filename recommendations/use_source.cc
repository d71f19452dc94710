#include "recommendations/use_source.h"

#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "kube/api_call.h"
#include "recommend/correction.h"
#include "usage_sources/prometheus_client.h"

namespace huygens::recommendations {

namespace {

using recommend::Resource;
using recommendation_api::Dimension;
using recommendation_api::Target;
using usage_sources::PrometheusClient;
using usage_sources::PrometheusLabels;

constexpr std::string_view kMetricsApi = "/apis/metrics.k8s.io/v1beta1/namespaces/";

class MetricsApiUse final : public UseSource {
 public:
  std::string name() const override { return "metrics.k8s.io"; }

  StatusOr<PodUses> Read(net::Client& api_server, const std::string& namespace_name, Time, Duration timeout) override {
    if (!kube::IsObjectName(namespace_name)) return Invalid(Concat(namespace_name, " is no name of a namespace"));
    const std::string path = Concat(kMetricsApi, namespace_name, "/pods");
    HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply,
                             api_server.Call("GET", path, "", kube::JsonHeaders(), timeout));
    if (reply.code == 404) {
      return NotFound(
          "the cluster has no metrics API (metrics.k8s.io): install metrics-server, or set usage.prometheus");
    }
    if (!kube::Succeeded(reply)) return Unavailable(Concat("GET ", path, ": ", kube::ExplainReply(reply)));
    StatusOr<PodUses> uses = DecodePodMetricsList(reply.body);
    return uses.ok() ? std::move(uses) : Annotate(uses.status(), Concat("GET ", path));
  }
};

std::string_view Find(const PrometheusLabels& labels, std::string_view name) {
  for (const auto& [key, value] : labels) {
    if (key == name) return value;
  }
  return {};
}

// Nothing for what is no measurement.
std::optional<int64_t> AmountOf(Resource resource, double value) {
  const double amount = std::ceil(value * recommend::UnitsOf(resource));
  if (!(amount >= 0 && amount < 1e18)) return std::nullopt;
  return static_cast<int64_t>(amount);
}

class PrometheusUse final : public UseSource {
 public:
  explicit PrometheusUse(PrometheusUseOptions options) : options_(std::move(options)) {}

  std::string name() const override { return Concat("prometheus ", options_.server.base_url); }
  bool has_past() const override { return true; }

  StatusOr<PodUses> Read(net::Client&, const std::string& namespace_name, Time now, Duration timeout) override {
    // By pod and container.
    std::map<std::string, std::map<std::string, ContainerUse>> pods;
    HUYGENS_ASSIGN_OR_RETURN(const std::shared_ptr<PrometheusClient> client, Connect(timeout));
    for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
      ContainerUse* use = nullptr;
      const usage_sources::PrometheusVisitor visitor{
          .on_series =
              [&](const PrometheusLabels& labels) {
                const std::string container(Find(labels, "container"));
                use = &pods[std::string(Find(labels, "pod"))][container];
                use->name = container;
                return true;
              },
          .on_sample = [&](Time,
                           double value) { use->used[static_cast<size_t>(resource)] = AmountOf(resource, value); }};
      const std::string query = resource == Resource::kCpu ? CpuQuery(namespace_name, options_.scope)
                                                           : MemoryQuery(namespace_name, options_.scope);
      HUYGENS_RETURN_IF_ERROR(client->Query(query, now, visitor).status());
    }
    PodUses uses;
    for (auto& [pod, containers] : pods) {
      PodUse& use = uses.pods.emplace_back(PodUse{namespace_name, pod, now, {}});
      for (auto& [name, container] : containers) use.containers.push_back(std::move(container));
    }
    return uses;
  }

  Status ReadPast(const Target& target, Time first, Time last, Duration step, const VisitPast& visit) override {
    HUYGENS_ASSIGN_OR_RETURN(const std::shared_ptr<PrometheusClient> client, Connect(options_.timeout));
    for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
      std::string pod;
      const usage_sources::PrometheusVisitor visitor{.on_series =
                                                         [&](const PrometheusLabels& labels) {
                                                           pod = Find(labels, "pod");
                                                           return !pod.empty();
                                                         },
                                                     .on_sample =
                                                         [&](Time time, double value) {
                                                           if (const auto amount = AmountOf(resource, value))
                                                             visit(pod, time, resource, *amount);
                                                         }};
      const std::string query =
          resource == Resource::kCpu ? PastCpuQuery(target, options_.scope) : PastMemoryQuery(target, options_.scope);
      HUYGENS_RETURN_IF_ERROR(client->QueryRange(query, first, last, step, visitor).status());
    }
    return absl::OkStatus();
  }

  void Interrupt() override {
    const std::lock_guard lock(mutex_);
    for (const std::weak_ptr<PrometheusClient>& each : at_work_) {
      if (const auto client = each.lock()) client->Cancel();
    }
    at_work_.clear();
  }

 private:
  StatusOr<std::shared_ptr<PrometheusClient>> Connect(Duration timeout) {
    HUYGENS_ASSIGN_OR_RETURN(
        std::shared_ptr<PrometheusClient> client,
        PrometheusClient::Create(options_.server, std::min(timeout, options_.timeout), options_.headers));
    const std::lock_guard lock(mutex_);
    std::erase_if(at_work_, [](const auto& each) { return each.expired(); });
    at_work_.push_back(client);
    return client;
  }

  const PrometheusUseOptions options_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<PrometheusClient>> at_work_;
};

// A text as PromQL has it between quotes.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

constexpr std::string_view kContainers = R"(container!="",container!="POD")";

std::string CpuOf(std::string_view namespace_name, std::string_view pods, std::string_view by,
                  const usage_sources::Scope& scope) {
  const std::string in = Concat("namespace=", Quoted(namespace_name));
  const std::string series = usage_sources::Selector(usage_sources::UsualMetric("cpu"), scope, {in, kContainers, pods});
  // A container that was started anew while its former series lingers counts once.
  return Concat("sum by (", by, ") (max by (pod, container, cpu) (rate(", series, "[5m])))");
}

std::string MemoryOf(std::string_view namespace_name, std::string_view pods, std::string_view by,
                     const usage_sources::Scope& scope) {
  const std::string in = Concat("namespace=", Quoted(namespace_name));
  const std::string series =
      usage_sources::Selector(usage_sources::UsualMetric("memory"), scope, {in, kContainers, pods});
  return Concat("sum by (", by, ") (max by (pod, container) (", series, "))");
}

std::string PodsMatcher(const Target& target) {
  const std::string names = PodNames(target);
  return names.empty() ? std::string() : Concat("pod=~", Quoted(names));
}

// A name in a regular expression: of all that names may hold the dot alone means something there.
std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '.' ? std::string("[.]") : std::string(1, c);
  return out;
}

}  // namespace

std::string CpuQuery(std::string_view namespace_name, const usage_sources::Scope& scope) {
  return CpuOf(namespace_name, "", "pod, container", scope);
}
std::string MemoryQuery(std::string_view namespace_name, const usage_sources::Scope& scope) {
  return MemoryOf(namespace_name, "", "pod, container", scope);
}
std::string PastCpuQuery(const Target& target, const usage_sources::Scope& scope) {
  return CpuOf(target.namespace_name, PodsMatcher(target), "pod", scope);
}
std::string PastMemoryQuery(const Target& target, const usage_sources::Scope& scope) {
  return MemoryOf(target.namespace_name, PodsMatcher(target), "pod", scope);
}

std::string PodNames(const Target& target) {
  if (target.dimension == Dimension::kNamespace) return "";
  std::string name = Escaped(target.name);
  if (target.dimension == Dimension::kPod) return name;
  // What controllers put behind their names: characters of rand.SafeEncodeString, ordinals, minutes since 1970.
  constexpr std::string_view kRandom = "[bcdfghjklmnpqrstvwxz2456789]{5}";
  constexpr std::string_view kHash = "[bcdfghjklmnpqrstvwxz2456789]{1,10}";
  if (target.kind == "Deployment" || target.kind == "Rollout") return Concat(name, "-", kHash, "-", kRandom);
  if (target.kind == "StatefulSet") return Concat(name, "-[0-9]+");
  if (target.kind == "CronJob") return Concat(name, "-[0-9]+-([0-9]+-)?", kRandom);
  if (target.kind == "Job") return Concat(name, "-([0-9]+-)?", kRandom);
  return Concat(name, "-([0-9]+|", kRandom, ")");
}

std::unique_ptr<UseSource> MakeMetricsApiUse() { return std::make_unique<MetricsApiUse>(); }

std::unique_ptr<UseSource> MakePrometheusUse(PrometheusUseOptions options) {
  return std::make_unique<PrometheusUse>(std::move(options));
}

}  // namespace huygens::recommendations
