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

// The lines that are not empty; none if the file is absent or broken.
inline std::vector<std::string> ReadVectorLines(const std::string& name) {
  std::vector<std::string> lines;
  gzFile file = gzopen(VectorPath(name).c_str(), "rb");
  if (!file) return lines;
  std::string text;
  std::vector<char> block(1 << 16);
  for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    text.append(block.data(), static_cast<size_t>(n));
  }
  gzclose(file);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Empty if the file is absent or broken.
inline std::vector<boost::json::object> ReadVectors(const std::string& name) {
  std::vector<boost::json::object> vectors;
  for (const std::string& line : ReadVectorLines(name)) vectors.push_back(boost::json::parse(line).as_object());
  return vectors;
}

}  // namespace huygens::test
