#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace huygens {
namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, unsigned mode = 0)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }
  // Some file systems report a full disk only here.
  int Close() {
    const int result = value_ < 0 ? 0 : ::close(value_);
    value_ = -1;
    return result;
  }

 private:
  int value_;
};

Status SystemError(const std::string& path) {
  return Unavailable(Concat(path, ": ", std::generic_category().message(errno)));
}

Status WriteAndSync(const std::string& path, std::string_view content, unsigned mode) {
  ::unlink(path.c_str());  // what a crash has left may have another mode
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (file.value() < 0) return SystemError(path);
  while (!content.empty()) {
    const ssize_t written = ::write(file.value(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (::fsync(file.value()) != 0 || file.Close() != 0) return SystemError(path);
  return absl::OkStatus();
}

}  // namespace

Status WriteFileAtomically(const std::string& path, std::string_view content, unsigned mode) {
  const std::filesystem::path target(path);
  // Hidden, so that a reader of the directory passes over what a crash may leave.
  const std::string draft = (target.parent_path() / Concat(".", target.filename().string(), ".draft")).string();
  Status status = WriteAndSync(draft, content, mode);
  if (status.ok() && std::rename(draft.c_str(), path.c_str()) != 0) status = SystemError(path);
  if (!status.ok()) {
    ::unlink(draft.c_str());
    return status;
  }
  const Descriptor folder(target.parent_path().string(), O_RDONLY | O_DIRECTORY);
  if (folder.value() >= 0) ::fsync(folder.value());
  return absl::OkStatus();
}

}  // namespace huygens
