// How one object names another: by apiVersion, kind and name. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "json/reader.h"

namespace huygens::workloads {

// "apps" of "apps/v1", and nothing of "v1".
std::string_view GroupOfVersion(std::string_view api_version);
// Of a reference by apiVersion, kind and name; what it does not say stays as it was.
Status ReadReference(JsonReader& in, std::string& group, std::string& kind, std::string& name);

}  // namespace huygens::workloads
