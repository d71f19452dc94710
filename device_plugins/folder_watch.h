// What comes into and goes out of folders, by inotify. Not thread-safe, but for descriptor().
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"

namespace huygens::device_plugins {

struct FolderChange {
  std::string folder;
  std::string name;  // of the entry; empty: the folder itself went, and is no longer watched
  enum class What : uint8_t { kCame, kWent } what = What::kCame;
};

class FolderWatch {
 public:
  static StatusOr<FolderWatch> Create();
  FolderWatch(FolderWatch&& other) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  // Watches these and no others. Those that cannot be watched, such as one that is not there, are tried again with the
  // next call.
  struct Outcome {
    bool all = true;     // each is watched
    bool added = false;  // some are only from now on: what came into them before was not told
  };
  Outcome Watch(const std::set<std::string>& folders);
  // Readable once something has changed.
  int descriptor() const { return descriptor_; }
  // What has changed since, in order; does not block. `lost` is set where the kernel dropped some: anything may have
  // changed then.
  std::vector<FolderChange> Take(bool& lost);

 private:
  explicit FolderWatch(int descriptor) : descriptor_(descriptor) {}
  void TakeEvent(uint32_t mask, int watch, const std::string& name, std::vector<FolderChange>& changes);

  int descriptor_;
  std::map<std::string, int> watched_;  // two names of one folder share a watch
};

// An eventfd: one thread waits in poll(2) for its descriptor, any thread wakes it.
class WakeUp {
 public:
  WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  ~WakeUp();

  int descriptor() const { return descriptor_; }
  void Wake() const;
  void Clear() const;

 private:
  int descriptor_;
};

}  // namespace huygens::device_plugins
