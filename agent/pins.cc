#include "agent/pins.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "agent/pin_reports.h"
#include "base/backoff.h"
#include "base/steady_now.h"
#include "base/text.h"
#include "base/waiter.h"
#include "pinner/pinner.h"
#include "publish/reserved_cpus.h"
#include "runtime/cri_runtime.h"
#include "runtime/event_follower.h"
#include "runtime/nri_plugin.h"

namespace huygens::agent {
namespace {

// The pinner's ear for CRI, and the way in which the runtime is reached, for people.
class CriEvents final : public runtime::EventSink {
 public:
  CriEvents(pinner::Pinner& pinner, observe::Log& log) : pinner_(pinner), log_(log) {}
  void OnCreated(const runtime::Container& container) override { pinner_.OnCreated(container); }
  void OnStarted(const runtime::Container& container) override { pinner_.OnStarted(container); }
  void OnStopped(const runtime::Container& container) override { pinner_.OnStopped(container); }
  void OnResync(std::string_view why) override { pinner_.OnResync(why); }
  void OnConnection(bool connected, std::string_view what) override {
    log_.Write(connected ? observe::LogLevel::kInfo : observe::LogLevel::kWarn,
               connected ? "runtime followed" : "runtime away", {{"how", what}});
    const std::lock_guard lock(mutex_);
    connected_ = connected;
    what_ = what;
  }
  bool connected() const {
    const std::lock_guard lock(mutex_);
    return connected_;
  }
  std::string what() const {
    const std::lock_guard lock(mutex_);
    return what_;
  }

 private:
  pinner::Pinner& pinner_;
  observe::Log& log_;
  mutable std::mutex mutex_;
  bool connected_ = false;
  std::string what_ = "not connected yet";
};

class Pins final : public Part {
 public:
  explicit Pins(const PartContext& context)
      : context_(context),
        reports_(context_),
        runtime_(context.configuration.pin.runtime_socket),
        pinner_(
            {.node_name = context.node_name,
             .state_file = context.configuration.pin.state_file,
             .repair_period = context.configuration.pin.interval},
            runtime_, [this](const pinner::PinNote& note) { reports_.Tell(note); }, SteadyNow),
        events_(pinner_, context.log) {}
  ~Pins() override { Pins::Stop(); }

  Status Start() override {
    const PinConfiguration& pin = context_.configuration.pin;
    const std::filesystem::path folder = std::filesystem::path(pin.state_file).parent_path();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Unavailable(Concat("pin.stateFile: ", folder.string(), ": ", error.message()));
    HUYGENS_RETURN_IF_ERROR(reports_.Start());
    HUYGENS_RETURN_IF_ERROR(pinner_.Start());
    context_.facts.OnChange([this] { Look(); });
    Look();
    follower_ = std::make_unique<runtime::EventFollower>(runtime::FollowOptions{}, runtime_, events_,
                                                         std::make_unique<SteadyWaiter>(), SystemRandom());
    if (!pin.nri_socket.empty()) {
      nri_ = std::make_unique<runtime::NriPlugin>(runtime::NriOptions{.socket = pin.nri_socket}, pinner_,
                                                  std::make_unique<SteadyWaiter>(), SystemRandom());
    }
    return absl::OkStatus();
  }

  void Stop() override {
    stopped_ = true;
    nri_.reset();
    follower_.reset();
    pinner_.Stop();
    reports_.Stop();
  }

  void Describe(observe::Readiness& readiness) const override {
    const std::string trouble = pinner_.trouble(), nri = pinner_.nri_fault();
    const bool ok = !why_not_.empty() || (events_.connected() && trouble.empty());
    std::string detail = why_not_.empty() ? events_.what() : why_not_;
    if (!trouble.empty()) detail = Concat(detail, "; ", trouble);
    if (nri_ != nullptr) detail += nri.empty() ? "; NRI connected" : Concat("; no NRI: ", nri);
    readiness.items.push_back({.ok = ok, .warning = !ok, .name = "pins", .detail = std::move(detail)});
  }

  void RefreshMetrics() override { reports_.Refresh(pinner_.counts(), pinner_.gauges()); }

 private:
  // Whether this node is to be pinned, and what of its machine.
  void Look() {
    if (stopped_) return;
    const auto& machine = context_.facts.machine();
    const auto& look = context_.facts.look();
    if (machine == machine_ && look == look_ && looked_) return;
    if (look != nullptr && look != look_) pinner_.SetSidecars(Sidecars(look->pods));
    const bool same_node =
        looked_ && machine == machine_ && look != nullptr && look_ != nullptr && look->kubelet == look_->kubelet;
    looked_ = true;
    machine_ = machine;
    look_ = look;
    if (same_node) return;
    const kubelet_api::RunningConfiguration* kubelet = context_.facts.kubelet();
    std::string why_not;
    if (kubelet == nullptr) {
      why_not = "kubelet has not said yet how it runs";
    } else if (kubelet->PinsCpus()) {
      why_not = "kubelet's cpuManagerPolicy is static: it pins here, nothing is touched";
    } else if (machine == nullptr) {
      why_not = "the machine has not been read yet";
    }
    if (why_not != why_not_) {
      context_.log.Info(why_not.empty() ? "pinning containers" : "pinning nothing", {{"why", why_not}});
      why_not_ = why_not;
    }
    pinner_.Manage(why_not_.empty() ? std::make_shared<const pinning::NodeCpus>(pinning::MakeNodeCpus(
                                          *machine, publish::ManagedReservedCpus(*machine, *kubelet)))
                                    : nullptr);
  }

  static std::map<std::string, std::set<std::string>> Sidecars(const std::vector<kubelet_api::Pod>& pods) {
    std::map<std::string, std::set<std::string>> sidecars;
    for (const kubelet_api::Pod& pod : pods) {
      for (const kubelet_api::Container& each : pod.containers) {
        if (each.kind == kubelet_api::ContainerKind::kSidecar) sidecars[pod.uid].insert(each.name);
      }
    }
    return sidecars;
  }

  const PartContext context_;
  PinReports reports_;
  runtime::CriRuntime runtime_;
  pinner::Pinner pinner_;
  CriEvents events_;
  std::unique_ptr<runtime::EventFollower> follower_;
  std::unique_ptr<runtime::NriPlugin> nri_;
  std::shared_ptr<const machine::Machine> machine_;
  std::shared_ptr<const KubeletLook> look_;
  std::string why_not_;
  bool looked_ = false, stopped_ = false;
};

}  // namespace

std::unique_ptr<Part> MakePins(const PartContext& context) { return std::make_unique<Pins>(context); }

}  // namespace huygens::agent
