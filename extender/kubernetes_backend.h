// The cluster behind a Kubernetes API server: one reflector thread per kind, `binders` threads for blocking calls, one
// for the bind Lease.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "extender/backend.h"
#include "extender/bind_lease.h"
#include "extender/context.h"
#include "informer/reflectors.h"
#include "informer/watch_event_queue.h"
#include "kube/event_recorder.h"
#include "observe/log_limit.h"

namespace huygens::extender {

struct KubernetesOptions {
  net::ClientOptions api_server;
  size_t binders = 16;
  int retries = 3;
  bool lease = true;
  kube::LeaseOptions lease_options;
  // A bind that waits for the Lease is refused after this; kube-scheduler tries again with back-off.
  Duration lease_patience = std::chrono::seconds(3);
  std::string identity;  // who writes Events and holds the Lease
};

class KubernetesBackend final : public Backend {
 public:
  KubernetesBackend(Context& context, net::EventLoop& loop, informer::WatchEventQueue& queue,
                    KubernetesOptions options);
  ~KubernetesBackend() override;

  Status Start() override;
  void Drain() override;
  void Stop() override;
  void Admit(std::function<void(StatusOr<uint64_t>)> done) override;
  void Bind(BindOrder order, Duration budget, std::function<void(BindReport)> done) override;
  void Settle(BindOrder order, std::function<void(BindReport)> done) override;
  void Settled(std::string_view pod_uid) override;
  std::string OtherBinder() const override;
  void FetchPod(std::string_view namespace_name, std::string_view name,
                std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) override;
  void Warn(const cluster::Pod& pod, const kube::PodWarning& warning) override;
  void WarnOfNode(const cluster::Node& node, const kube::PodWarning& warning) override;
  void Wake(std::vector<kube::WakeTarget> targets,
            std::function<void(const std::vector<kube::WakeReport>&)> done) override;
  std::optional<bool> NodeWriteWakesAll() const override { return node_write_wakes_all_; }
  kube::EventRecorder::Counts PodEvents() const override { return events_.counts(); }
  std::vector<observe::Readiness::Item> Details() const override;

 private:
  struct Worker;
  using Task = std::function<void(Worker&)>;

  void Enqueue(Task task);
  void Work(Worker& worker);
  Status StartLease();
  // Asks the API server for its version until it says one.
  void AskVersion();
  void LeaseChanged(const BindLease::View& view);
  // Tells the Lease, once, if no pod shows that huygens ever bound anything.
  void LookForOthers();
  // `namespace_name` empty: a Node.
  void WarnOf(const std::string& namespace_name, const std::string& name, const std::string& uid,
              const kube::PodWarning& warning);
  // Answers the binds that wait for the Lease, as far as an answer is known.
  void AnswerWaiting();
  // Refuses those whose patience is over, and sees to the next.
  void EndPatience();

  Context& context_;
  net::EventLoop& loop_;
  informer::WatchEventQueue& queue_;
  KubernetesOptions options_;
  informer::Reflectors reflectors_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<BindLease> lease_;
  kube::EventRecorder events_;

  // Decision thread.
  struct Waiting {
    std::function<void(StatusOr<uint64_t>)> done;
    Duration until{};  // by Context::monotonic
  };
  std::deque<Waiting> waiting_;  // the first has the least patience left
  net::Timer patience_;          // of the first
  uint64_t incidents_ = 0;       // of the Lease, that were told
  bool looked_for_others_ = false;
  std::optional<bool> node_write_wakes_all_;
  net::Timer ask_version_;
  Duration version_pause_ = std::chrono::seconds(1);
  net::Timer relist_;
  observe::RateLimit event_warnings_{std::chrono::seconds(10)};

  std::mutex mutex_;  // guards the queue
  std::condition_variable filled_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::atomic<bool> cancel_ = false;
};

}  // namespace huygens::extender
