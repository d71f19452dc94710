// The cluster in a directory of manifests: read once at start, binds applied to memory and, if asked, written back. For
// trying huygens out and for tests; everything happens on the decision thread.
#pragma once

#include <span>

#include "extender/backend.h"
#include "extender/context.h"
#include "informer/watch_event_queue.h"
#include "kube/manifests.h"

namespace huygens::extender {

class ManifestBackend final : public Backend {
 public:
  ManifestBackend(Context& context, net::EventLoop& loop, informer::WatchEventQueue& queue,
                  const std::string& directory, bool write_back);

  Status Start() override;
  void Drain() override {}
  void Stop() override {}
  void Admit(std::function<void(StatusOr<uint64_t>)> done) override { done(uint64_t{0}); }
  void Bind(BindOrder order, Duration budget, std::function<void(BindReport)> done) override;
  void Settle(BindOrder order, std::function<void(BindReport)> done) override;
  void FetchPod(std::string_view namespace_name, std::string_view name,
                std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) override;
  void Warn(const cluster::Pod&, const kube::PodWarning&) override {}
  // Never asked: no kube-scheduler watches a directory.
  void Wake(std::vector<kube::WakeTarget>, std::function<void(const std::vector<kube::WakeReport>&)>) override {}
  std::vector<observe::Readiness::Item> Details() const override { return {}; }
  // Once started.
  std::span<const wire::UsageHistory> usage_histories() const { return manifests_.usage_histories(); }

 private:
  Context& context_;
  net::EventLoop& loop_;
  informer::WatchEventQueue& queue_;
  kube::ManifestDirectory manifests_;
};

}  // namespace huygens::extender
