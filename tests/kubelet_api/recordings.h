// What a real kubelet said and wrote in three configurations: a folder of files each. Absent without the vectors.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace huygens::kubelet_api::testing {

inline constexpr const char* kRecordings[] = {"none", "static-single-numa-pod", "static-restricted-options"};

inline std::filesystem::path RecordingsFolder() { return std::filesystem::path(HUYGENS_SHARED_DATA) / "kubelet"; }

inline std::string Recorded(std::string_view configuration, std::string_view file) {
  std::ostringstream text;
  text << std::ifstream(RecordingsFolder() / configuration / file).rdbuf();
  return text.str();
}

}  // namespace huygens::kubelet_api::testing

#define HUYGENS_SKIP_WITHOUT_RECORDINGS()                                          \
  if (!std::filesystem::exists(huygens::kubelet_api::testing::RecordingsFolder())) \
  GTEST_SKIP() << "no recordings at " << huygens::kubelet_api::testing::RecordingsFolder()
