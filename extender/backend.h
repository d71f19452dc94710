// Where the cluster comes from and where binds go: a Kubernetes API server, or a directory of manifests. Called on the
// decision thread; whatever blocks happens on threads of the backend's own, and every `done` is called on the decision
// thread, once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "cluster/objects.h"
#include "kube/binder.h"
#include "kube/event_recorder.h"
#include "kube/wake.h"
#include "observe/readiness.h"

namespace huygens::extender {

struct BindOrder {
  kube::BindRequest request;
  std::shared_ptr<const cluster::Pod> pod;
  uint64_t term = 0;     // of the bind Lease in which it was decided; in another it is not sent
  Duration last_sent{};  // for Settle: when the last POST of it may have left, by Context::monotonic
};

enum class BindResult : uint8_t {
  kBound,    // the pod is on the node, with our annotations
  kRefused,  // it is not, and the reservation can go
  kUnknown,  // nobody could say; the reservation stays until Settle knows
};
std::string_view Name(BindResult result);  // "bound", "refused", "unknown"
struct BindReport {
  BindResult result = BindResult::kUnknown;
  std::string message;       // for the operator; empty when bound
  bool worth_event = false;  // the API server had an opinion about the pod (not: we could not reach it)
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Begins to deliver the cluster.
  virtual Status Start() = 0;
  // This instance is about to end, though it still answers: another may be waiting for what only one can have.
  virtual void Drain() = 0;
  // Cuts what is under way and waits for its threads; nothing is delivered afterwards. A Binding that was cut may still
  // take effect: the next start reads what became of it.
  virtual void Stop() = 0;

  // Whether this instance may decide binds now; if it is not the holder of the bind Lease it tries to become it. Not
  // ok: why not, and that trying again later is worth it. The value names the term of the Lease that the decision is
  // for.
  virtual void Admit(std::function<void(StatusOr<uint64_t>)> done) = 0;
  // Sends one Binding. `budget` bounds it with all its retries.
  virtual void Bind(BindOrder order, Duration budget, std::function<void(BindReport)> done) = 0;
  // Asks what became of an order whose outcome is unknown or whose watch event is overdue.
  virtual void Settle(BindOrder order, std::function<void(BindReport)> done) = 0;
  // The watch has shown what became of a Binding of this pod: nobody need ask.
  virtual void Settled(std::string_view /*pod_uid*/) {}
  // The other instance that binds now, as far as the Lease tells; empty: none.
  virtual std::string OtherBinder() const { return {}; }
  // A pod that neither the watch nor filter has shown.
  virtual void FetchPod(std::string_view namespace_name, std::string_view name,
                        std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) = 0;
  // Says it on the pod, with an Event; best effort, limited in rate.
  virtual void Warn(const cluster::Pod& pod, const kube::PodWarning& warning) = 0;
  // The same on a Node.
  virtual void WarnOfNode(const cluster::Node&, const kube::PodWarning&) {}

  // Makes kube-scheduler try again the pods it can see behind each target, one call after the other; what follows a
  // failure fails, too. The reports are in the order of the targets.
  virtual void Wake(std::vector<kube::WakeTarget> targets,
                    std::function<void(const std::vector<kube::WakeReport>&)> done) = 0;

  // Whether a write on a Node makes kube-scheduler try every pod again that an extender rejected, as it does since
  // Kubernetes 1.32. Before, only those that could go to this very node by its own plugins. Nothing: not known yet.
  virtual std::optional<bool> NodeWriteWakesAll() const { return true; }

  virtual kube::EventRecorder::Counts PodEvents() const { return {}; }
  // What else /readyz?verbose should say: the bind Lease, say.
  virtual std::vector<observe::Readiness::Item> Details() const = 0;
};

}  // namespace huygens::extender
