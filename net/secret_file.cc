#include "net/secret_file.h"

#include "base/read_file.h"

namespace huygens::net {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

StatusOr<std::string> SecretFile::Read(const std::string& path) {
  const FileStamp stamp = StampOf(path);
  if (stamp == stamp_ && !text_.empty()) return text_;
  const std::string read = ReadFile(path, what_).value_or("");
  const std::string_view secret = Trim(read);
  if (secret.empty() || secret.find_first_of("\r\n") != std::string_view::npos) {
    if (!text_.empty()) return text_;
    return Refused(Concat(what_, " file ", path, " is missing, empty, or no ", what_));
  }
  text_ = secret;
  stamp_ = stamp;
  return text_;
}

}  // namespace huygens::net
