#include "agent/kubelet_watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/kubelet_client.h"
#include "base/backoff.h"
#include "base/read_file.h"
#include "base/steady_now.h"
#include "base/text.h"
#include "kube/call_pool.h"
#include "kubelet_api/client.h"
#include "net/folder_watch.h"
#include "pod_resources/client.h"

namespace huygens::agent {
namespace {

constexpr Duration kLookTimeout = std::chrono::seconds(5);
// From the first event of several to the look that is for all of them.
constexpr Duration kGather = std::chrono::milliseconds(30);
// Kubelet itself is a moment behind what it writes.
constexpr Duration kLookAgain = std::chrono::seconds(1);
constexpr Duration kFirstPause = std::chrono::milliseconds(100), kLongestPause = std::chrono::seconds(10);

// Relative to kubelet's root.
constexpr std::string_view kFolders[] = {"", "/device-plugins", "/pod-resources", "/pods"};

// Where the groups of pods come and go, be there one hierarchy of control groups (v2) or several (v1). Kubelet removes a
// pod's group once it has ended, which none of its own folders shows.
std::vector<std::string> GroupsOfPods(const std::string& root, const kubelet_api::RunningConfiguration& kubelet) {
  const std::string above = kubelet.cgroup_root == "/" ? "" : kubelet.cgroup_root;
  const std::string_view pods = kubelet.cgroup_driver == "systemd" ? "/kubepods.slice" : "/kubepods";
  std::vector<std::string> folders;
  for (const std::string_view hierarchy : {"", "/cpuset"}) {
    folders.push_back(Concat(root == "/" ? "" : root, "/sys/fs/cgroup", hierarchy, above, pods));
  }
  return folders;
}

bool Tells(std::string_view folder, std::string_view name, std::string_view root) {
  if (name.empty() || folder.ends_with("/pods")) return true;
  if (folder.ends_with("/kubepods") || folder.ends_with("/kubepods.slice")) return name.find("pod") != name.npos;
  if (folder != root) return name == "kubelet.sock";
  return name == kubelet_api::kCpuManagerState || name == kubelet_api::kMemoryManagerState ||
         std::ranges::any_of(kFolders,
                             [&](std::string_view each) { return each.size() > 1 && each.substr(1) == name; });
}

// Blocking; on the thread that asks.
class KubeletLooker {
 public:
  KubeletLooker(kubelet_api::ClientOptions options, std::string root)
      : client_(std::move(options)), devices_(Concat(root, "/pod-resources/kubelet.sock")), root_(std::move(root)) {}

  // Pods before state files: a pod that comes in between is in neither then (publish/topology_object.h).
  StatusOr<KubeletLook> Look() {
    KubeletLook look;
    HUYGENS_ASSIGN_OR_RETURN(const std::string configz, client_.Get("/configz", kLookTimeout));
    HUYGENS_ASSIGN_OR_RETURN(look.kubelet, kubelet_api::DecodeConfigz(configz));
    HUYGENS_ASSIGN_OR_RETURN(const std::string pods, client_.Get("/pods", kLookTimeout));
    HUYGENS_ASSIGN_OR_RETURN(look.pods, kubelet_api::DecodePods(pods));
    if (look.kubelet.PinsCpus()) {
      HUYGENS_ASSIGN_OR_RETURN(look.cpus, Read(kubelet_api::kCpuManagerState, kubelet_api::DecodeCpuManagerState));
    }
    if (look.kubelet.memory_manager_policy == "Static") {
      HUYGENS_ASSIGN_OR_RETURN(look.memory,
                               Read(kubelet_api::kMemoryManagerState, kubelet_api::DecodeMemoryManagerState));
    }
    HUYGENS_RETURN_IF_ERROR(ReadDevices());
    look.devices = known_devices_;
    return look;
  }
  void Cancel() {
    client_.Cancel();
    devices_.Cancel();
  }

 private:
  template <typename Decode>
  auto Read(std::string_view name, Decode decode) const -> decltype(decode(name)) {
    constexpr size_t kMostMib = 16;
    HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(Concat(root_, "/", name), "state of kubelet", kMostMib));
    return decode(std::string_view(text));
  }

  // That they cannot be asked for says nothing about them: those that are known stay.
  Status ReadDevices() {
    StatusOr<std::optional<pod_resources::ZoneDevices>> devices = devices_.Read(kLookTimeout);
    if (!devices.ok()) return known_devices_ ? absl::OkStatus() : devices.status();
    known_devices_ = *std::move(devices);
    return absl::OkStatus();
  }

  kubelet_api::Client client_;
  pod_resources::Client devices_;
  std::optional<pod_resources::ZoneDevices> known_devices_;
  const std::string root_;
};

class KubeletWatch final : public Part {
 public:
  explicit KubeletWatch(const PartContext& context)
      : context_(context),
        root_(context.configuration.kubelet.directory),
        looker_(std::make_shared<KubeletLooker>(KubeletClientOptions(context), root_)),
        pool_(context.loop),
        backoff_(kFirstPause, kLongestPause, SystemRandom()),
        looks_(context.metrics.MakeCounter("huygens_agent_kubelet_looks_total",
                                           "Times that kubelet was asked for its configuration and pods, by outcome.",
                                           {{"result", "ok"}})),
        failures_(context.metrics.MakeCounter(
            "huygens_agent_kubelet_looks_total",
            "Times that kubelet was asked for its configuration and pods, by outcome.", {{"result", "failed"}})) {}
  ~KubeletWatch() override { KubeletWatch::Stop(); }

  Status Start() override {
    HUYGENS_RETURN_IF_ERROR(pool_.Start(context_.api_server, 1));
    HUYGENS_ASSIGN_OR_RETURN(
        folders_, net::FolderWatch::Create(context_.loop, [this](const std::string& folder, const std::string& name) {
          if (Tells(folder, name, root_)) Gather();
        }));
    context_.facts.OnAskAgain([this] { Gather(); });
    Ask();
    return absl::OkStatus();
  }

  void Stop() override {
    stopped_ = true;
    context_.facts.OnAskAgain(nullptr);
    next_.Cancel();
    gather_.Cancel();
    folders_.reset();
    looker_->Cancel();
    pool_.Stop();
  }

  void Describe(observe::Readiness& readiness) const override {
    readiness.items.push_back({.ok = heard_.has_value(),
                               .warning = heard_.has_value() && !fault_.empty(),
                               .name = "kubelet",
                               .detail = !fault_.empty() ? fault_
                                         : heard_ ? Concat("CPU manager ", context_.facts.kubelet()->cpu_manager_policy,
                                                           ", ", std::to_string(context_.facts.pods()->size()), " pods")
                                                  : "not asked yet"});
  }

 private:
  void Gather() {
    again_ = true;
    if (asking_ || gather_.pending()) return;
    gather_ = context_.loop.After(kGather, [this] { Ask(); });
  }

  void Ask() {
    if (stopped_ || asking_) return;
    asking_ = true;
    trailing_ = std::exchange(again_, false);
    next_.Cancel();
    for (const std::string_view folder : kFolders) folders_->Watch(Concat(root_, folder));
    if (const auto kubelet = context_.facts.kubelet(); kubelet != nullptr) {
      for (const std::string& folder : GroupsOfPods(context_.configuration.root, *kubelet)) folders_->Watch(folder);
    }
    pool_.Post([this, looker = looker_](net::Client&) -> kube::CallPool::Then {
      auto look = std::make_shared<StatusOr<KubeletLook>>(looker->Look());
      return [this, look] { Take(std::move(*look)); };
    });
  }

  void Take(StatusOr<KubeletLook> look) {
    asking_ = false;
    if (stopped_) return;
    if (look.ok()) {
      looks_.Add();
      if (!std::exchange(fault_, "").empty() || !heard_) {
        context_.log.Info("kubelet answers", {{"url", context_.configuration.kubelet.url},
                                              {"cpuManagerPolicy", look->kubelet.cpu_manager_policy},
                                              {"topologyManagerPolicy", look->kubelet.topology_manager_policy},
                                              {"pods", look->pods.size()}});
      }
      heard_ = SteadyNow();
      backoff_.Reset();
      context_.facts.Set(std::make_shared<const KubeletLook>(*std::move(look)));
    } else {
      failures_.Add();
      Complain(look.status());
    }
    if (again_) return Gather();
    const Duration interval = context_.configuration.kubelet.interval;
    const Duration pause = !fault_.empty() ? std::min(backoff_.Next(), interval) : trailing_ ? kLookAgain : interval;
    next_ = context_.loop.After(pause, [this] { Ask(); });
  }

  // Once for each cause: kubelet may be away for a while.
  void Complain(const Status& status) {
    const std::string why(Message(status));
    if (why != fault_)
      context_.log.Warn("kubelet cannot be asked; what it last said stays, and it is asked again", {{"why", why}});
    fault_ = why;
  }

  const PartContext context_;
  const std::string root_;
  const std::shared_ptr<KubeletLooker> looker_;
  kube::CallPool pool_;
  std::unique_ptr<net::FolderWatch> folders_;
  Backoff backoff_;
  net::Timer next_, gather_;
  bool asking_ = false, again_ = false, trailing_ = false, stopped_ = false;
  std::optional<Duration> heard_;
  std::string fault_;
  const observe::CounterSeries looks_, failures_;
};

}  // namespace

std::unique_ptr<Part> MakeKubeletWatch(const PartContext& context) { return std::make_unique<KubeletWatch>(context); }

}  // namespace huygens::agent
