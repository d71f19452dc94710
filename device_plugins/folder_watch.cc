#include "device_plugins/folder_watch.h"

#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace huygens::device_plugins {

StatusOr<FolderWatch> FolderWatch::Create() {
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
    return Unavailable(Concat("inotify: ", std::strerror(errno), "; fs.inotify.max_user_instances may be too low"));
  }
  return FolderWatch(descriptor);
}

FolderWatch::FolderWatch(FolderWatch&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), watched_(std::move(other.watched_)) {}

FolderWatch::~FolderWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

FolderWatch::Outcome FolderWatch::Watch(const std::set<std::string>& folders) {
  std::set<int> left_out;
  for (auto at = watched_.begin(); at != watched_.end();) {
    if (folders.contains(at->first)) {
      ++at;
      continue;
    }
    left_out.insert(at->second);
    at = watched_.erase(at);
  }
  for (const auto& [folder, watch] : watched_) left_out.erase(watch);
  for (const int watch : left_out) inotify_rm_watch(descriptor_, watch);
  Outcome outcome;
  for (const std::string& folder : folders) {
    if (watched_.contains(folder)) continue;
    const int watch = inotify_add_watch(
        descriptor_, folder.c_str(),
        IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
    if (watch < 0) {
      outcome.all = false;
    } else {
      watched_[folder] = watch;
      outcome.added = true;
    }
  }
  return outcome;
}

std::vector<FolderChange> FolderWatch::Take(bool& lost) {
  std::vector<FolderChange> changes;
  lost = false;
  alignas(inotify_event) char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = read(descriptor_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return changes;
    for (ssize_t at = 0; at < got;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      const char* name = buffer + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) lost = true;
      TakeEvent(event.mask, event.wd, event.len > 0 ? name : "", changes);
    }
  }
}

void FolderWatch::TakeEvent(uint32_t mask, int watch, const std::string& name, std::vector<FolderChange>& changes) {
  const bool gone = (mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) != 0;
  if (!gone && name.empty()) return;
  const bool went = gone || (mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  for (const auto& [folder, each] : watched_) {
    if (each != watch) continue;
    changes.push_back({folder, gone ? "" : name, went ? FolderChange::What::kWent : FolderChange::What::kCame});
  }
  if (!gone) return;
  if (std::erase_if(watched_, [&](const auto& each) { return each.second == watch; }) > 0 && (mask & IN_IGNORED) == 0) {
    inotify_rm_watch(descriptor_, watch);
  }
}

WakeUp::WakeUp() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (descriptor_ < 0) std::abort();  // no descriptors are left: nothing could be served anyway
}

WakeUp::~WakeUp() { close(descriptor_); }

void WakeUp::Wake() const { eventfd_write(descriptor_, 1); }

void WakeUp::Clear() const {
  eventfd_t count = 0;
  eventfd_read(descriptor_, &count);
}

}  // namespace huygens::device_plugins
