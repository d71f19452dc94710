// Tells the thread of a loop that something came into a folder, went from it or was replaced there (inotify): a file
// that is written in place is not told. Loop's thread only; nothing wakes it while nothing happens.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "net/event_loop.h"

namespace huygens::net {

class FolderWatch {
 public:
  // `name`: of the entry; empty where anything may have changed, as after more events than the kernel keeps.
  using Changed = std::function<void(const std::string& folder, const std::string& name)>;

  // `loop` outlives it. ResourceExhausted where the kernel gives no inotify.
  static StatusOr<std::unique_ptr<FolderWatch>> Create(EventLoop& loop, Changed changed);
  ~FolderWatch();

  // Whether it is watched from now on, or was; false where there is no such folder. A folder that goes is not watched
  // any more, also when it comes back: call this again.
  bool Watch(const std::string& folder);

 private:
  class Impl;
  explicit FolderWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::net
