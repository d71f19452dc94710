// Device plug-ins that stay known to kubelet: each has a server on a socket in kubelet's folder and is registered there,
// again after each restart of kubelet. Kubelet then deletes every socket in the folder and makes kubelet.sock anew; until
// a plug-in is registered again its devices count as none, and pods that want some fail, so every millisecond counts.
// One thread follows the folder by inotify. Sources: k8s.io/kubernetes v1.36.3, pkg/kubelet/cm/devicemanager.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "device_plugins/device_source.h"
#include "device_plugins/folder_watch.h"
#include "device_plugins/plugin_server.h"

namespace huygens::device_plugins {

inline constexpr std::string_view kKubeletFolder = "/var/lib/kubelet/device-plugins";
inline constexpr std::string_view kKubeletSocket = "kubelet.sock";

// Told as it happens, on the thread of DevicePlugins. `resource` is the name of one.
struct PluginEvents {
  // `took`: since kubelet.sock appeared, or since the plug-in had devices to tell.
  std::function<void(const std::string& resource, Duration took)> registered;
  // Once for each text: what kubelet, or the system, says to it. It is tried again.
  std::function<void(const std::string& resource, const std::string& why)> not_registered;
  // Kubelet no longer follows the devices: it ended, or another plug-in of this name came.
  std::function<void(const std::string& resource)> lost;
  // Its socket is there, at start or anew.
  std::function<void()> kubelet_came;
};

struct PluginState {
  std::string resource;
  bool registered = false;  // and kubelet has not given it up since
  std::string fault;        // why not, as far as there was an attempt
  int64_t healthy = 0, unhealthy = 0;
  uint64_t registrations = 0, failures = 0;  // of attempts
  uint64_t allocated = 0, refused = 0;       // containers
};

// How long it waits before it tries something again.
struct PluginPace {
  Duration folder = std::chrono::seconds(1);   // until the folder is there
  Duration kubelet = std::chrono::seconds(5);  // until kubelet.sock is there, if inotify does not tell before
  // For so long it is nothing to speak of that kubelet does not answer: it starts.
  Duration silence = std::chrono::seconds(2);
  // Kubelet's socket is there some milliseconds before kubelet accepts.
  Duration first_retry = std::chrono::milliseconds(5), last_retry = std::chrono::seconds(5);
  // After kubelet gave a plug-in up though its socket stayed. If another one has taken the name, the two are not to take
  // it from each other all the time.
  Duration first_return = std::chrono::seconds(5), last_return = std::chrono::minutes(5);
};

struct Plugin {
  std::string resource;            // "example.com/fpga"
  DeviceSource* source = nullptr;  // outlives the plug-in
};

struct PluginOptions {
  std::string folder = std::string(kKubeletFolder);
  Random random;  // for names of sockets and back-off
  // The pods that wait on this node and ask for the resource (Answers); null: none is known.
  std::function<std::vector<WaitingPod>(const std::string& resource)> waiting;
  PluginEvents events;
  PluginPace pace;
};

class CallbackThreads;
class RegisterCall;

class DevicePlugins {
 public:
  // No plug-in is registered before it has devices. Sockets of earlier processes at which nobody listens are removed. A
  // folder that is not there is waited for.
  static StatusOr<std::unique_ptr<DevicePlugins>> Start(const std::vector<Plugin>& plugins, PluginOptions options);
  // Ends all servers. What was given to containers stays theirs.
  ~DevicePlugins();

  // Any thread.
  void SetDevices(size_t plugin, std::vector<Device> devices);
  std::vector<PluginState> states() const;

 private:
  struct Served;
  struct Mailbox;

  DevicePlugins(const std::vector<Plugin>& plugins, PluginOptions options, FolderWatch folder);
  void Run();
  void Follow();
  void TakeChanges();
  void KubeletCame();
  void SocketWent(const std::string& name);
  void Continue(Served& plugin, Duration now);
  Status Serve(Served& plugin);
  void Register(Served& plugin);
  void Registered(Served& plugin, const Status& status);
  void Lost(Served& plugin);
  void Stop(Served& plugin);
  void NotRegistered(Served& plugin, const Status& status, Duration again_in);
  Duration NextDue(Duration now) const;
  std::string SocketName(std::string_view resource);

  PluginOptions options_;
  std::unique_ptr<CallbackThreads> threads_;  // null: there are no plug-ins
  FolderWatch folder_;
  std::vector<std::unique_ptr<Served>> plugins_;
  bool followed_ = false;  // the folder
  uint64_t calls_made_ = 0;
  std::map<uint64_t, std::unique_ptr<RegisterCall>> cancelled_;  // cancelled, and not done yet
  Duration kubelet_came_;
  std::shared_ptr<Mailbox> mailbox_;
  std::atomic<bool> ending_ = false;
  mutable std::mutex states_mutex_;  // guards the states in plugins_
  std::thread thread_;
};

// Removes the sockets of the pattern that such plug-ins use where nobody listens: an earlier process left them. Says how
// many. Kubelet's folder would grow otherwise for as long as kubelet runs.
size_t RemoveStaleSockets(const std::string& folder);

}  // namespace huygens::device_plugins
