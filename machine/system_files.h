// The small files of /sys and /proc below a root folder: "/" for this machine, any other for a recorded one. Blocking;
// any thread. A file or folder that is not there is no error, since kernels differ in what they have. Every other error
// names the file, and what it holds where that cannot be understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "machine/id_list.h"

namespace huygens::machine {

class SystemFiles {
 public:
  explicit SystemFiles(std::string root) : root_(std::move(root)) {}

  // Paths begin with "sys/" or "proc/". Each is nullopt where there is no such file; of an empty one that holds for
  // numbers, too.
  StatusOr<std::optional<std::string>> Text(std::string_view path) const;     // without space and zeros around it
  StatusOr<std::optional<std::string>> Trimmed(std::string_view path) const;  // without space around it
  StatusOr<std::optional<int64_t>> Number(std::string_view path) const;       // in decimal, may be negative
  StatusOr<std::optional<Ids>> List(std::string_view path) const;
  StatusOr<std::optional<Ids>> Mask(std::string_view path) const;
  // The kB of the line "MemTotal:".
  StatusOr<std::optional<int64_t>> MemTotal(std::string_view path) const;

  // What is in a folder, by name; empty where there is no such folder.
  StatusOr<std::vector<std::string>> Names(std::string_view folder) const;
  // The ids N of all names PREFIXN in a folder.
  StatusOr<Ids> Numbered(std::string_view folder, std::string_view prefix) const;
  bool IsFolder(std::string_view path) const;

  std::string Path(std::string_view path) const;
  // InvalidArgument: `path` holds `text`, and `why` that is wrong.
  Status Unusable(std::string_view path, std::string_view text, std::string_view why) const;

 private:
  std::string root_;
};

}  // namespace huygens::machine
