#include "observe/bounded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace huygens::observe {

namespace {

Status SystemError(std::string_view what) { return absl::ErrnoToStatus(errno, ToAbsl(what)); }

}  // namespace

BoundedFile::BoundedFile(std::string path, int64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}

BoundedFile::~BoundedFile() { Close(); }

Status BoundedFile::Append(std::string_view line) {
  auto length = static_cast<int64_t>(line.size());
  if (length > max_bytes_) return OutOfRange("a line is longer than the file may become");
  struct stat now{};
  if (file_ >= 0 && fstat(file_, &now) == 0 && now.st_nlink == 0) Close();  // somebody deleted it
  if (file_ < 0) HUYGENS_RETURN_IF_ERROR(Open());
  if (size_ + length > max_bytes_) HUYGENS_RETURN_IF_ERROR(Rotate());
  ssize_t written;
  do {
    written = write(file_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == length) {
    size_ += length;
    return absl::OkStatus();
  }
  Status status = written < 0 ? SystemError("write") : absl::ResourceExhaustedError("write: no space left on device");
  // Take back what fitted of the line.
  if (written > 0 && ftruncate(file_, size_) != 0) status = SystemError("truncate");
  Close();
  return status;
}

Status BoundedFile::Open() {
  file_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
  if (file_ < 0) return SystemError("open");
  struct stat now{};
  if (fstat(file_, &now) != 0 || !S_ISREG(now.st_mode)) {
    Close();
    return Invalid("open: not a regular file");
  }
  size_ = now.st_size;
  // A crash may have left half a line.
  char last = '\n';
  if (size_ > 0 && pread(file_, &last, 1, size_ - 1) == 1 && last != '\n') {
    if (write(file_, "\n", 1) != 1) {
      Status status = SystemError("write");
      Close();
      return status;
    }
    ++size_;
  }
  return absl::OkStatus();
}

Status BoundedFile::Rotate() {
  if (std::rename(path_.c_str(), Concat(path_, ".1").c_str()) != 0) {
    Status status = SystemError("rename");
    Close();
    return status;
  }
  Close();
  return Open();
}

void BoundedFile::Close() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  size_ = 0;
}

}  // namespace huygens::observe
