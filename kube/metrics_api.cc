#include "kube/metrics_api.h"

#include <chrono>

#include "kube/api_call.h"
#include "wire/list.h"
#include "wire/object_meta.h"

namespace huygens::kube {
namespace {

// metrics-server answers from memory.
constexpr auto kTimeout = std::chrono::seconds(30);

Status Judge(std::string_view path, const net::HttpReply& reply) {
  if (reply.code == 404) {
    return NotFound("the cluster has no metrics API (metrics.k8s.io): install metrics-server or set usage.prometheus");
  }
  if (!Succeeded(reply)) return Unavailable(Concat("GET ", path, ": ", ExplainReply(reply)));
  return absl::OkStatus();
}

wire::ResourceMetrics Unreadable(std::string_view item, const Status& fault) {
  auto meta = wire::DecodeObjectMeta(item).value_or(wire::ObjectMeta());
  const std::string who = Concat(meta.namespace_name, meta.namespace_name.empty() ? "" : "/", meta.name);
  return {.namespace_name = std::move(meta.namespace_name),
          .name = std::move(meta.name),
          .timestamp = std::nullopt,
          .usage = {},
          .fault = Concat(who.empty() ? "(no name)" : who, ": ", Message(fault))};
}

}  // namespace

StatusOr<std::unique_ptr<MetricsApi>> MetricsApi::Create(net::ClientOptions api_server, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(std::move(api_server)));
  return std::unique_ptr<MetricsApi>(new MetricsApi(std::move(client), names));
}

StatusOr<std::vector<wire::ResourceMetrics>> MetricsApi::Read(std::string_view path) {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client_->Call("GET", path, "", JsonHeaders(), kTimeout));
  HUYGENS_RETURN_IF_ERROR(Judge(path, reply));
  const StatusOr<wire::ObjectList> list = wire::DecodeList(reply.body);
  if (!list.ok()) return Annotate(list.status(), Concat("GET ", path));
  std::vector<wire::ResourceMetrics> metrics;
  metrics.reserve(list->items.size());
  for (const wire::ListItem& item : list->items) {
    auto decoded = wire::DecodeResourceMetrics(item.text, names_);
    metrics.push_back(decoded.ok() ? *std::move(decoded) : Unreadable(item.text, decoded.status()));
  }
  return metrics;
}

}  // namespace huygens::kube
