// Pods and HorizontalPodAutoscalers by namespace, as the watches of an API server tell of them. On the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "base/resource.h"
#include "base/status.h"
#include "informer/followed_objects.h"
#include "metrics_front/asked_pod.h"
#include "metrics_front/autoscaler.h"
#include "net/client.h"
#include "observe/readiness.h"

namespace huygens::metrics_front {

class KnownObjects {
 public:
  // What is referred to must outlive this.
  KnownObjects(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);
  ~KnownObjects();

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  void Stop();

  // What was never listed, in words; empty: nothing.
  std::string NotReady() const;
  std::vector<observe::Readiness::Item> Describe() const;

  // Valid until the loop's thread goes on.
  std::vector<const AskedPod*> Pods(std::string_view namespace_name, const LabelSelector& selector) const;
  std::vector<const Autoscaler*> Autoscalers(std::string_view namespace_name) const;

 private:
  template <typename Object>
  class Kind;

  std::unique_ptr<Kind<AskedPod>> pods_;
  std::unique_ptr<Kind<Autoscaler>> autoscalers_;
};

}  // namespace huygens::metrics_front
