#include "net/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/event_loop_impl.h"

namespace huygens::net {

class FolderWatch::Impl {
 public:
  Impl(EventLoop& loop, int descriptor, Changed changed)
      : inotify_(loop.impl().context, descriptor), changed_(std::move(changed)) {
    Wait();
  }
  ~Impl() { *alive_ = false; }

  bool Watch(const std::string& folder) {
    for (const auto& [watch, name] : folders_) {
      if (name == folder) return true;
    }
    const int watch = inotify_add_watch(inotify_.native_handle(), folder.c_str(),
                                        IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR);
    if (watch < 0) return false;
    folders_[watch] = folder;
    return true;
  }

 private:
  void Wait() {
    inotify_.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this, alive = alive_](const boost::system::error_code& error) {
                          if (!*alive || error) return;
                          const std::vector<std::pair<std::string, std::string>> changes = Take();
                          Wait();
                          for (const auto& [folder, name] : changes) {
                            if (*alive) changed_(folder, name);
                          }
                        });
  }

  std::vector<std::pair<std::string, std::string>> Take() {
    std::vector<std::pair<std::string, std::string>> changes;
    alignas(inotify_event) char buffer[8192];
    for (;;) {
      const ssize_t got = read(inotify_.native_handle(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return changes;
      for (ssize_t at = 0; at < got;) {
        inotify_event event;
        std::memcpy(&event, buffer + at, sizeof event);
        const char* name = buffer + at + sizeof event;
        at += static_cast<ssize_t>(sizeof event + event.len);
        if ((event.mask & IN_Q_OVERFLOW) != 0) changes.emplace_back("", "");
        const auto folder = folders_.find(event.wd);
        if (folder == folders_.end()) continue;
        changes.emplace_back(folder->second, event.len > 0 ? name : "");
        if ((event.mask & IN_IGNORED) != 0) folders_.erase(folder);
      }
    }
  }

  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  asio::posix::stream_descriptor inotify_;
  const Changed changed_;
  std::map<int, std::string> folders_;
};

StatusOr<std::unique_ptr<FolderWatch>> FolderWatch::Create(EventLoop& loop, Changed changed) {
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    return absl::ResourceExhaustedError(ToAbsl(
        // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
        Concat("inotify: ", std::strerror(errno), "; sysctl fs.inotify.max_user_instances may have to be raised")));
  }
  return std::unique_ptr<FolderWatch>(new FolderWatch(std::make_unique<Impl>(loop, descriptor, std::move(changed))));
}

FolderWatch::FolderWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FolderWatch::~FolderWatch() = default;

bool FolderWatch::Watch(const std::string& folder) { return impl_->Watch(folder); }

}  // namespace huygens::net
