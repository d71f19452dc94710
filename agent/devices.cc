#include "agent/devices.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "agent/counted_writer.h"
#include "agent/device_metrics.h"
#include "agent/kubelet_client.h"
#include "agent/waiting_pods.h"
#include "base/steady_now.h"
#include "base/text.h"
#include "device_plugins/device_looks.h"
#include "device_plugins/device_plugins.h"

namespace huygens::agent {
namespace {

using device_plugins::Device;
using device_plugins::DevicePlugins;
using device_plugins::DeviceSource;

class Devices final : public Part {
 public:
  explicit Devices(const PartContext& context) : context_(context) {}
  ~Devices() override { End(); }

  Status Start() override {
    const DevicesConfiguration& c = context_.configuration.devices;
    for (const DeviceFilesConfiguration& each : c.files) {
      device_plugins::DeviceFileOptions options = each;
      options.root = c.host_root.empty() ? context_.configuration.root : c.host_root;
      options.system_root = context_.configuration.root;
      Add(each.resource, device_plugins::MakeDeviceFiles(std::move(options), SteadyNow));
    }
    for (const PciConfiguration& each : c.pci) {
      device_plugins::PciOptions options = each;
      options.root = context_.configuration.root;
      Add(each.resource, device_plugins::MakePciFunctions(std::move(options), SteadyNow));
    }
    metrics_.emplace(context_.metrics, resources_);
    const std::string folder = c.plugin_directory.empty()
                                   ? Concat(context_.configuration.kubelet.directory, "/device-plugins")
                                   : c.plugin_directory;
    HUYGENS_ASSIGN_OR_RETURN(counted_,
                             CountedWriter::Start({.api_server = context_.api_server,
                                                   .node_name = context_.node_name,
                                                   .wanted = {c.counted.begin(), c.counted.end()},
                                                   .checkpoint = Concat(folder, "/kubelet_internal_checkpoint")},
                                                  context_.log));
    if (!c.any()) return absl::OkStatus();
    waiting_ = std::make_unique<WaitingPods>(KubeletClientOptions(context_));
    std::vector<device_plugins::Plugin> plugins;
    std::vector<DeviceSource*> sources;
    for (size_t i = 0; i < sources_.size(); ++i) {
      plugins.push_back({resources_[i], sources_[i].get()});
      sources.push_back(sources_[i].get());
    }
    HUYGENS_ASSIGN_OR_RETURN(
        plugins_, DevicePlugins::Start(
                      plugins, {.folder = folder,
                                .random = SystemRandom(),
                                .waiting = [this](const std::string& resource) { return waiting_->Of(resource); },
                                .events = Events()}));
    HUYGENS_ASSIGN_OR_RETURN(looks_, device_plugins::DeviceLooks::Start(sources, Results()));
    return absl::OkStatus();
  }

  void Stop() override { End(); }

  void Describe(observe::Readiness& readiness) const override {
    if (!context_.configuration.devices.any()) return;
    for (const device_plugins::PluginState& each :
         plugins_ ? plugins_->states() : std::vector<device_plugins::PluginState>()) {
      std::string detail = Concat(std::to_string(each.healthy), " healthy, ", std::to_string(each.unhealthy), " not");
      if (!each.registered) detail += Concat("; not registered", each.fault.empty() ? "" : ": ", each.fault);
      const bool ok = each.registered && each.unhealthy == 0;
      readiness.items.push_back(
          {.ok = ok, .warning = !ok, .name = Concat("device ", each.resource), .detail = std::move(detail)});
    }
    if (context_.configuration.devices.counted.empty() || counted_ == nullptr) return;
    const CountedWriter::State state = counted_->state();
    std::string detail = state.fault.empty() ? "written" : state.fault;
    for (const std::string& name : state.served)
      detail += Concat("; ", name, " is a device plug-in's, and is left alone");
    const bool ok = state.fault.empty() && state.served.empty();
    readiness.items.push_back({.ok = ok, .warning = !ok, .name = "counted resources", .detail = std::move(detail)});
  }

  void RefreshMetrics() override {
    if (!metrics_) return;
    if (plugins_ != nullptr) metrics_->Set(plugins_->states());
    if (counted_ != nullptr) metrics_->Set(counted_->state().written, counted_->state().failed);
  }

 private:
  void Add(const std::string& resource, std::unique_ptr<DeviceSource> source) {
    resources_.push_back(resource);
    sources_.push_back(std::move(source));
  }

  void End() {
    for (const auto& source : sources_) source->Cancel();
    if (waiting_ != nullptr) waiting_->Cancel();
    looks_.reset();
    plugins_.reset();
    counted_.reset();
  }

  device_plugins::PluginEvents Events() {
    observe::Log& log = context_.log;
    return {.registered =
                [&log](const std::string& resource, Duration took) {
                  log.Info("device plug-in registered", {{"resource", resource}, {"took", took}});
                },
            .not_registered =
                [&log](const std::string& resource, const std::string& why) {
                  log.Warn("device plug-in not registered", {{"resource", resource}, {"why", why}});
                },
            .lost =
                [&log](const std::string& resource) {
                  log.Warn("kubelet no longer follows the device plug-in", {{"resource", resource}});
                },
            .kubelet_came = [this] { counted_->KubeletCame(); }};
  }

  // On the thread of the looks, as long as there are plug-ins.
  device_plugins::DeviceLooks::Results Results() {
    return {.seen =
                [this](size_t source, std::vector<Device> devices) {
                  SayChanges(resources_[source], devices);
                  plugins_->SetDevices(source, std::move(devices));
                },
            .failed =
                [this](size_t source, const std::string& why) {
                  if (why.empty())
                    return context_.log.Info("devices can be read again", {{"resource", resources_[source]}});
                  context_.log.Warn("devices cannot be read; what was known stays",
                                    {{"resource", resources_[source]}, {"why", why}});
                }};
  }

  void SayChanges(const std::string& resource, const std::vector<Device>& devices) {
    std::map<std::string, bool>& said = said_[resource];
    std::map<std::string, bool> now;
    for (const Device& each : devices) {
      now[each.id] = each.healthy;
      const auto before = said.find(each.id);
      if (before != said.end() && before->second == each.healthy) continue;
      if (each.healthy) {
        context_.log.Info(
            "device",
            {{"resource", resource}, {"id", each.id}, {"zone", each.zone ? std::to_string(*each.zone) : "unknown"}});
      } else {
        context_.log.Warn("device lost or not healthy", {{"resource", resource}, {"id", each.id}, {"why", each.why}});
      }
    }
    said = std::move(now);
  }

  const PartContext context_;
  std::vector<std::string> resources_;  // of sources_
  std::vector<std::unique_ptr<DeviceSource>> sources_;
  std::optional<DeviceMetrics> metrics_;
  std::map<std::string, std::map<std::string, bool>> said_;  // by resource and id; of the thread of the looks
  std::unique_ptr<CountedWriter> counted_;
  std::unique_ptr<WaitingPods> waiting_;
  std::unique_ptr<DevicePlugins> plugins_;
  std::unique_ptr<device_plugins::DeviceLooks> looks_;
};

}  // namespace

std::unique_ptr<Part> MakeDevices(const PartContext& context) { return std::make_unique<Devices>(context); }

}  // namespace huygens::agent
