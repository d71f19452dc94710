// The state file on disk. Blocking; one thread at a time.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "pinning/assignment.h"

namespace huygens::pinner {

struct KeptState {
  pinning::PodSets pods;
  pinning::CpuSet shared;                    // as it was last written
  std::map<std::string, std::string> names;  // of pods, "namespace/name" by UID, as far as the file has them
  std::string fault;                         // what was wrong with the file, and what became of it; empty: nothing
};

class StateStore {
 public:
  explicit StateStore(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  // Nothing kept where there is no file. A file that cannot be understood is renamed to PATH.bad, and `fault` says so; an
  // error only where it can be neither read nor renamed.
  StatusOr<KeptState> Load() const;
  // As Load, but changes nothing: for who looks on.
  StatusOr<KeptState> Look() const;

  // Readable by root alone; on disk when it returns. Writes nothing where nothing has changed. `names` of pods by UID:
  // beside crane's fields, for people.
  Status Save(const pinning::PodSets& pods, const pinning::CpuSet& shared,
              const std::map<std::string, std::string, std::less<>>& names);

 private:
  std::string path_;
  std::string written_;
};

}  // namespace huygens::pinner
