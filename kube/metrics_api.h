// Reads the resource metrics API (metrics.k8s.io/v1beta1) through the API server. Blocking; one thread, but for Cancel.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "net/client.h"
#include "wire/metrics_api.h"

namespace huygens::kube {

class MetricsApi {
 public:
  // `names` outlives it.
  static StatusOr<std::unique_ptr<MetricsApi>> Create(net::ClientOptions api_server, const ResourceNames& names);

  // All that there are; one that cannot be read has its fault, its name if that can be, and nothing else. NotFound: the
  // cluster has no metrics API.
  StatusOr<std::vector<wire::ResourceMetrics>> Pods() { return Read("/apis/metrics.k8s.io/v1beta1/pods"); }
  StatusOr<std::vector<wire::ResourceMetrics>> Nodes() { return Read("/apis/metrics.k8s.io/v1beta1/nodes"); }
  // For good. Any thread.
  void Cancel() { client_->Cancel(); }

 private:
  MetricsApi(std::unique_ptr<net::Client> client, const ResourceNames& names)
      : client_(std::move(client)), names_(names) {}
  StatusOr<std::vector<wire::ResourceMetrics>> Read(std::string_view path);

  const std::unique_ptr<net::Client> client_;
  const ResourceNames& names_;
};

}  // namespace huygens::kube
