// Reads gzip-compressed JSON Lines of recorded answers (HUYGENS_SHARED_DATA), for tests that compare with upstream
// code.
#pragma once

#include <zlib.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace huygens::test {

inline std::string VectorPath(const std::string& name) {
  return std::string(HUYGENS_SHARED_DATA) + "/conformance/" + name;
}

// Empty if the file is absent or broken.
inline std::vector<boost::json::object> ReadVectors(const std::string& name) {
  std::vector<boost::json::object> vectors;
  gzFile file = gzopen(VectorPath(name).c_str(), "rb");
  if (!file) return vectors;
  std::string text;
  std::vector<char> block(1 << 16);
  for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    text.append(block.data(), static_cast<size_t>(n));
  }
  gzclose(file);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin) vectors.push_back(boost::json::parse(text.substr(begin, end - begin)).as_object());
    begin = end + 1;
  }
  return vectors;
}

}  // namespace huygens::test
