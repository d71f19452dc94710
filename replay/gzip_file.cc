#include "replay/gzip_file.h"

#include <zlib.h>

#include <vector>

#include "base/text.h"

namespace huygens::replay {

StatusOr<std::string> ReadGzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return absl::NotFoundError(Concat("cannot open ", path));
  std::string text;
  std::vector<char> block(1 << 16);
  int got = 0;
  while ((got = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    text.append(block.data(), static_cast<size_t>(got));
  }
  gzclose(file);
  if (got < 0) return absl::DataLossError(Concat(path, " is damaged"));
  return text;
}

}  // namespace huygens::replay
