#include "device_plugins/device_plugins.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "base/steady_now.h"
#include "base/text.h"
#include "device_plugins/register_call.h"

namespace huygens::device_plugins {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "huygens-", kSuffix = ".sock";

bool SomebodyListens(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return true;  // none of ours
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return true;
  const bool refused =
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  close(descriptor);
  return !refused;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Tells one socket of kubelet from the next one of the same name; nothing where there is none.
using FileIdentity = std::tuple<dev_t, ino_t, int64_t, int64_t>;
std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  return FileIdentity(file.st_dev, file.st_ino, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

}  // namespace

// What gRPC's threads and others have for the thread of DevicePlugins; outlives it where gRPC is late.
struct DevicePlugins::Mailbox {
  void Post(std::function<void()> news) {
    {
      const std::lock_guard lock(mutex);
      if (closed) return;
      waiting.push_back(std::move(news));
    }
    wake.Wake();
  }
  std::vector<std::function<void()>> Take() {
    wake.Clear();
    const std::lock_guard lock(mutex);
    return std::exchange(waiting, {});
  }
  void Close() {
    const std::lock_guard lock(mutex);
    closed = true;
    waiting.clear();
  }

  WakeUp wake;
  std::mutex mutex;
  bool closed = false;
  std::vector<std::function<void()>> waiting;
};

struct DevicePlugins::Served {
  Served(const Plugin& plugin, Answers::WaitingPods waiting, const PluginPace& pace, const Random& random)
      : answers(*plugin.source, std::move(waiting)),
        retries(pace.first_retry, pace.last_retry, random),
        returns(pace.first_return, pace.last_return, random) {
    state.resource = plugin.resource;
  }

  Answers answers;
  std::unique_ptr<PluginServer> server;
  std::unique_ptr<RegisterCall> call;  // under way
  uint64_t call_number = 0;
  uint64_t attempt = 0;         // news of an earlier one are none
  std::optional<Duration> due;  // when to serve, if it does not yet, and register
  Duration since = {};          // when there was first something to register
  std::optional<Duration> registered_at;
  std::optional<FileIdentity> kubelet;  // the one that it was told to
  bool has_devices = false;
  Backoff retries, returns;
  std::string said;
  PluginState state;
};

StatusOr<std::unique_ptr<DevicePlugins>> DevicePlugins::Start(const std::vector<Plugin>& plugins,
                                                              PluginOptions options) {
  HUYGENS_ASSIGN_OR_RETURN(FolderWatch folder, FolderWatch::Create());
  return std::unique_ptr<DevicePlugins>(new DevicePlugins(plugins, std::move(options), std::move(folder)));
}

DevicePlugins::DevicePlugins(const std::vector<Plugin>& plugins, PluginOptions options, FolderWatch folder)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      kubelet_came_(SteadyNow()),
      mailbox_(std::make_shared<Mailbox>()) {
  if (!plugins.empty()) threads_ = std::make_unique<CallbackThreads>();
  for (const Plugin& each : plugins) {
    Answers::WaitingPods waiting;
    if (options_.waiting) waiting = [this, resource = each.resource] { return options_.waiting(resource); };
    plugins_.push_back(std::make_unique<Served>(each, std::move(waiting), options_.pace, options_.random));
  }
  thread_ = std::thread([this] { Run(); });
}

DevicePlugins::~DevicePlugins() {
  ending_ = true;
  mailbox_->wake.Wake();
  thread_.join();
  mailbox_->Close();
}

void DevicePlugins::SetDevices(size_t plugin, std::vector<Device> devices) {
  mailbox_->Post([this, plugin, devices = std::move(devices)] {
    Served& served = *plugins_[plugin];
    const auto healthy = std::ranges::count_if(devices, &Device::healthy);
    {
      const std::lock_guard lock(states_mutex_);
      served.state.healthy = healthy;
      served.state.unhealthy = static_cast<int64_t>(devices.size()) - healthy;
    }
    served.answers.SetDevices(devices);
    if (served.server != nullptr) served.server->SetDevices(devices);
    if (served.has_devices) return;
    served.has_devices = true;
    served.since = SteadyNow();
    served.due = served.since;
  });
}

std::vector<PluginState> DevicePlugins::states() const {
  std::vector<PluginState> states;
  const std::lock_guard lock(states_mutex_);
  for (const auto& each : plugins_) {
    PluginState& state = states.emplace_back(each->state);
    state.allocated = each->answers.allocated();
    state.refused = each->answers.refused();
  }
  return states;
}

void DevicePlugins::Run() {
  pthread_setname_np(pthread_self(), "device-plugins");
  RemoveStaleSockets(options_.folder);
  while (!ending_) {
    Follow();
    for (const std::function<void()>& news : mailbox_->Take()) news();
    TakeChanges();
    const Duration now = SteadyNow();
    for (const auto& plugin : plugins_) Continue(*plugin, now);
    pollfd waiting[] = {{mailbox_->wake.descriptor(), POLLIN, 0}, {folder_.descriptor(), POLLIN, 0}};
    const auto wait = std::chrono::ceil<milliseconds>(NextDue(SteadyNow())).count();
    poll(waiting, std::size(waiting), static_cast<int>(wait));
  }
  for (const auto& plugin : plugins_) Stop(*plugin);
  cancelled_.clear();
}

Duration DevicePlugins::NextDue(Duration now) const {
  Duration wait = followed_ ? Duration(std::chrono::hours(1)) : options_.pace.folder;
  for (const auto& plugin : plugins_) {
    if (plugin->due) wait = std::min(wait, *plugin->due - now);
  }
  return std::max(wait, Duration(0));
}

void DevicePlugins::Follow() {
  const FolderWatch::Outcome outcome = folder_.Watch({options_.folder});
  followed_ = outcome.all;
  if (outcome.added) KubeletCame();
}

void DevicePlugins::TakeChanges() {
  bool lost = false;
  const std::vector<FolderChange> changes = folder_.Take(lost);
  bool came = lost;
  for (const FolderChange& change : changes) {
    if (change.what == FolderChange::What::kCame) {
      came = came || change.name == kKubeletSocket;
    } else if (change.name.empty()) {
      followed_ = false;
    } else {
      SocketWent(change.name);
    }
  }
  if (came) KubeletCame();
}

// Another kubelet: whatever the last one knew is gone. A plug-in may have found its socket already.
void DevicePlugins::KubeletCame() {
  kubelet_came_ = SteadyNow();
  const auto kubelet = IdentityOf(Concat(options_.folder, "/", kKubeletSocket));
  for (const auto& plugin : plugins_) {
    if (plugin->server != nullptr && plugin->kubelet == kubelet && Exists(plugin->server->path())) continue;
    Stop(*plugin);
    plugin->retries.Reset();
    plugin->returns.Reset();
    plugin->since = kubelet_came_;
    if (plugin->has_devices) plugin->due = kubelet_came_;
  }
  if (kubelet && options_.events.kubelet_came) options_.events.kubelet_came();
}

void DevicePlugins::SocketWent(const std::string& name) {
  for (const auto& plugin : plugins_) {
    if (plugin->server == nullptr || !plugin->server->path().ends_with(Concat("/", name))) continue;
    Stop(*plugin);
    plugin->due = SteadyNow();
  }
}

void DevicePlugins::Stop(Served& plugin) {
  ++plugin.attempt;
  if (plugin.call != nullptr) {
    plugin.call->Cancel();
    cancelled_.emplace(plugin.call_number, std::move(plugin.call));
  }
  plugin.server.reset();
  plugin.due.reset();
  const std::lock_guard lock(states_mutex_);
  plugin.state.registered = false;
}

void DevicePlugins::Continue(Served& plugin, Duration now) {
  if (!plugin.due || *plugin.due > now || plugin.call != nullptr) return;
  if (!Exists(Concat(options_.folder, "/", kKubeletSocket))) {
    return NotRegistered(plugin, Unavailable(Concat("kubelet is not there: no ", options_.folder, "/", kKubeletSocket)),
                         options_.pace.kubelet);
  }
  if (plugin.server == nullptr) {
    if (Status status = Serve(plugin); !status.ok()) return NotRegistered(plugin, status, plugin.retries.Next());
  }
  Register(plugin);
}

Status DevicePlugins::Serve(Served& plugin) {
  ++plugin.attempt;
  auto ended = [this, mailbox = mailbox_, &plugin, attempt = plugin.attempt] {
    mailbox->Post([this, &plugin, attempt] {
      if (plugin.attempt == attempt && plugin.server != nullptr && !plugin.server->followed()) Lost(plugin);
    });
  };
  auto server = PluginServer::Start(Concat(options_.folder, "/", SocketName(plugin.state.resource)), plugin.answers,
                                    std::move(ended));
  if (!server.ok()) return server.status();
  plugin.server = *std::move(server);
  return absl::OkStatus();
}

void DevicePlugins::Register(Served& plugin) {
  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(std::filesystem::path(plugin.server->path()).filename().string());
  request.set_resource_name(plugin.state.resource);
  *request.mutable_options() = plugin.answers.options();
  plugin.due.reset();
  const std::string kubelet = Concat(options_.folder, "/", kKubeletSocket);
  plugin.kubelet = IdentityOf(kubelet);
  plugin.call_number = ++calls_made_;
  // It is told before the call itself is over, so what waits for that, and ends its connection, is this thread.
  plugin.call = std::make_unique<RegisterCall>(
      kubelet, std::move(request), [this, mailbox = mailbox_, &plugin, number = calls_made_](const Status& status) {
        mailbox->Post([this, &plugin, number, status] {
          if (cancelled_.erase(number) > 0 || plugin.call == nullptr || plugin.call_number != number) return;
          Registered(plugin, status);
        });
      });
}

void DevicePlugins::Registered(Served& plugin, const Status& status) {
  plugin.call.reset();
  if (!status.ok()) return NotRegistered(plugin, status, plugin.retries.Next());
  {
    const std::lock_guard lock(states_mutex_);
    plugin.state.registered = true;
    plugin.state.fault.clear();
    ++plugin.state.registrations;
  }
  plugin.said.clear();
  plugin.retries.Reset();
  plugin.registered_at = SteadyNow();
  if (options_.events.registered)
    options_.events.registered(plugin.state.resource, *plugin.registered_at - plugin.since);
}

// A plug-in that kubelet follows for a while is not one of two that take the name from each other.
void DevicePlugins::Lost(Served& plugin) {
  const Duration now = SteadyNow();
  if (plugin.registered_at && now - *plugin.registered_at > options_.pace.last_return) plugin.returns.Reset();
  Stop(plugin);
  plugin.since = now;
  plugin.due = now + plugin.returns.Next();
  {
    const std::lock_guard lock(states_mutex_);
    plugin.state.fault = "kubelet no longer follows its devices: it ended, or another plug-in of this name came";
  }
  if (options_.events.lost) options_.events.lost(plugin.state.resource);
}

void DevicePlugins::NotRegistered(Served& plugin, const Status& status, Duration again_in) {
  plugin.due = SteadyNow() + again_in;
  const std::string why(Message(status));
  {
    const std::lock_guard lock(states_mutex_);
    ++plugin.state.failures;
    plugin.state.fault = why;
  }
  const bool starting =
      status.code() == absl::StatusCode::kUnavailable && SteadyNow() - plugin.since < options_.pace.silence;
  if (plugin.said == why || starting) return;
  plugin.said = why;
  if (options_.events.not_registered) options_.events.not_registered(plugin.state.resource, why);
}

// The resource, for people, and what no other server has had.
std::string DevicePlugins::SocketName(std::string_view resource) {
  constexpr size_t kMostOfResource = 24;
  std::string name(resource.substr(resource.rfind('/') + 1).substr(0, kMostOfResource));
  for (;;) {
    char number[17];
    std::snprintf(number, sizeof number, "%010llx", static_cast<unsigned long long>(options_.random() * 0x1p40));
    std::string socket = Concat(kPrefix, name, "-", number, kSuffix);
    if (!Exists(Concat(options_.folder, "/", socket))) return socket;
  }
}

size_t RemoveStaleSockets(const std::string& folder) {
  std::error_code error;
  size_t removed = 0;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || !at->is_socket(error)) continue;
    if (SomebodyListens(at->path().string())) continue;
    removed += unlink(at->path().c_str()) == 0 ? 1 : 0;
  }
  return removed;
}

}  // namespace huygens::device_plugins
