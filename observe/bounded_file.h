// A file that whole lines are appended to, up to a size; then it is renamed to PATH.1, over what was there, and begun
// anew. Blocking; one thread at a time. A line is in the file whole or not at all, also when the disk fills up in the
// middle of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::observe {

class BoundedFile {
 public:
  // Opens nothing yet.
  BoundedFile(std::string path, int64_t max_bytes);
  ~BoundedFile();
  BoundedFile(const BoundedFile&) = delete;
  BoundedFile& operator=(const BoundedFile&) = delete;

  // `line` ends in '\n'. Fails with the system's reason (the message is the same each time it is the same reason); the
  // next call opens the file again. A line longer than the limit fails with OutOfRange and harms nothing.
  Status Append(std::string_view line);

 private:
  Status Open();
  Status Rotate();
  void Close();

  const std::string path_;
  const int64_t max_bytes_;
  int file_ = -1;
  int64_t size_ = 0;
};

}  // namespace huygens::observe
