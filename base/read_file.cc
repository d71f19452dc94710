#include "base/read_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

namespace huygens {

namespace {

constexpr size_t kPiece = 64 << 10;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status Unreadable(const std::string& path, std::string_view what) {
  return absl::ErrnoToStatus(errno, ToAbsl(Concat("cannot read ", what, " ", path)));
}

}  // namespace

// Not by a stream, which does not say why it failed.
StatusOr<std::string> ReadFile(const std::string& path, std::string_view what, size_t most_mib) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return Unreadable(path, what);
  std::string text;
  for (size_t got = kPiece; got == kPiece;) {
    const size_t have = text.size();
    text.resize(have + kPiece);
    got = std::fread(text.data() + have, 1, kPiece, file.get());
    if (std::ferror(file.get()) != 0) return Unreadable(path, what);
    text.resize(have + got);
    if (text.size() > most_mib << 20) {
      return Invalid(
          Concat(what, " ", path, " is longer than ", std::to_string(most_mib), " MiB; is it the right file?"));
    }
  }
  return text;
}

}  // namespace huygens
