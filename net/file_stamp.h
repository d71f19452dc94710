// Tells whether a file was replaced or rewritten, without reading it: inode, size and time of change. Follows symbolic
// links, so the swap of a mounted Secret's `..data` link is seen.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace huygens::net {

struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = -1;  // -1: no such file
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};

inline FileStamp StampOf(const std::string& path) {
  struct stat info{};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace huygens::net
