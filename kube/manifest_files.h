// Finds the objects in a directory of YAML and JSON files, as JSON text with the place each was found at. Blocking; any
// thread.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "wire/object_meta.h"

namespace huygens::kube {

struct ManifestObject {
  std::string json;
  std::string place;  // "cluster/nodes.yaml:12"
  wire::ObjectMeta meta;
};

// Calls `take` for each object of each .yaml, .yml and .json file below `directory`, files in order of their paths.
// Lists are taken apart, hidden files and kustomization.yaml are passed over. `directory` may be one such file itself.
// An error, one of `take` too, costs its object, or the file that cannot be read: in the end all come in one, a line
// each.
Status ForEachManifest(const std::string& directory, const std::function<Status(ManifestObject)>& take);

// Adds `fault`, unless ok, as another line.
void AddFault(Status& faults, const Status& fault);

}  // namespace huygens::kube
