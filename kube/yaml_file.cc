#include "kube/yaml_file.h"

#include "base/read_file.h"
#include "base/text.h"
#include "kube/yaml_json.h"

namespace huygens::kube {

StatusOr<std::vector<std::string>> ReadYamlAsJson(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, "file"));
  std::vector<std::string> documents;
  try {
    for (const YAML::Node& document : YAML::LoadAll(text)) {
      if (document.IsNull()) continue;
      std::string& json = documents.emplace_back();
      if (Status status = AppendYamlAsJson(json, document); !status.ok()) return Annotate(status, path);
    }
  } catch (const YAML::Exception& error) {
    return Invalid(Concat(path, ":", std::to_string(error.mark.line + 1), ": not YAML: ", error.msg));
  }
  return documents;
}

}  // namespace huygens::kube
