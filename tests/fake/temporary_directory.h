// A directory that is gone with the object. Tests run side by side, each as a process of its own: a fixed name would be
// shared.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace huygens::fake {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "huygens-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const { return std::filesystem::path(path_) / name; }
  // Writes a file below it and returns its path; folders are made as needed. The file is renamed into place, as a
  // mounted Secret changes.
  std::string Write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    const std::string fresh = file.string() + ".new";
    std::ofstream(fresh, std::ios::binary) << content;
    std::filesystem::rename(fresh, file);
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace huygens::fake
