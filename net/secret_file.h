// A secret in a file, such as a projected token: read again when the file changes. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/file_stamp.h"

namespace huygens::net {

class SecretFile {
 public:
  // `what` it is, for messages: "token".
  explicit SecretFile(std::string_view what) : what_(what) {}

  // The one line in `path`, without space around it. In the middle of a rotation, when the file is missing or empty,
  // the one before. FailedPrecondition where there never was one; the message holds no secret.
  StatusOr<std::string> Read(const std::string& path);

 private:
  const std::string what_;
  FileStamp stamp_;
  std::string text_;
};

}  // namespace huygens::net
