// Whether docs/conformance.md names the vectors on which huygens answers otherwise than upstream.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace huygens::test {

// The number at the end of a vector's id: 66 of "nrt-filter-00066".
inline int NumberOf(std::string_view id) { return std::stoi(std::string(id.substr(id.rfind('-') + 1))); }

// Whether a row of a table there ends with exactly these vectors, in ascending order.
inline bool Documented(std::vector<int> vectors) {
  std::sort(vectors.begin(), vectors.end());
  std::string cell = "|";
  for (int number : vectors) cell += (cell == "|" ? " " : ", ") + std::to_string(number);
  std::ifstream file(std::string(HUYGENS_SOURCE_DIR) + "/docs/conformance.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str().find(cell + " |\n") != std::string::npos;
}

}  // namespace huygens::test
