#include "device_plugins/device_looks.h"

#include <poll.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/steady_now.h"
#include "base/text.h"

namespace huygens::device_plugins {
namespace {

// A burst of nodes in /dev becomes a few looks, not one for each.
constexpr Duration kLeastGap = std::chrono::milliseconds(100);
// While a folder is not there that devices would come into.
constexpr Duration kMissingFolder = std::chrono::seconds(5);
constexpr Duration kLongest = std::chrono::hours(1);

}  // namespace

StatusOr<std::unique_ptr<DeviceLooks>> DeviceLooks::Start(const std::vector<DeviceSource*>& sources, Results results) {
  HUYGENS_ASSIGN_OR_RETURN(FolderWatch folders, FolderWatch::Create());
  return std::unique_ptr<DeviceLooks>(new DeviceLooks(sources, std::move(results), std::move(folders)));
}

DeviceLooks::DeviceLooks(const std::vector<DeviceSource*>& sources, Results results, FolderWatch folders)
    : results_(std::move(results)), folders_(std::move(folders)) {
  for (DeviceSource* source : sources) {
    Looked& each = looked_.emplace_back();
    each.source = source;
    each.due = SteadyNow();
  }
  thread_ = std::thread([this] { Run(); });
}

DeviceLooks::~DeviceLooks() {
  ending_ = true;
  wake_.Wake();
  thread_.join();
}

void DeviceLooks::Run() {
  pthread_setname_np(pthread_self(), "devices");
  while (!ending_) {
    for (size_t i = 0; i < looked_.size() && !ending_; ++i) {
      if (looked_[i].due <= SteadyNow()) Look(i);
    }
    std::set<std::string> folders;
    for (const Looked& each : looked_) {
      folders.merge(each.source->folders());
    }
    const FolderWatch::Outcome watched = folders_.Watch(folders);
    if (watched.added) {
      for (Looked& each : looked_) each.due = SteadyNow();
      continue;
    }
    Duration wait = watched.all ? kLongest : kMissingFolder;
    for (const Looked& each : looked_) wait = std::min(wait, each.due - SteadyNow());
    pollfd waiting[] = {{wake_.descriptor(), POLLIN, 0}, {folders_.descriptor(), POLLIN, 0}};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, Duration(0))).count();
    poll(waiting, std::size(waiting), static_cast<int>(milliseconds));
    wake_.Clear();
    TakeChanges(SteadyNow());
  }
}

void DeviceLooks::TakeChanges(Duration now) {
  bool lost = false;
  const std::vector<FolderChange> changes = folders_.Take(lost);
  for (Looked& each : looked_) {
    const std::set<std::string> folders = each.source->folders();
    if (lost || std::ranges::any_of(changes, [&](const FolderChange& c) { return folders.contains(c.folder); })) {
      each.due = std::min(each.due, std::max(now, each.last + kLeastGap));
    }
  }
}

void DeviceLooks::Look(size_t index) {
  Looked& each = looked_[index];
  StatusOr<std::vector<Device>> devices = each.source->Look();
  each.last = SteadyNow();
  each.due = each.last + each.source->interval();
  const std::string fault(devices.ok() ? std::string_view() : Message(devices.status()));
  if (fault != each.fault) {
    each.fault = fault;
    results_.failed(index, fault);
  }
  if (!devices.ok() || (each.seen && *devices == each.devices)) return;
  each.seen = true;
  each.devices = *std::move(devices);
  results_.seen(index, each.devices);
}

}  // namespace huygens::device_plugins
