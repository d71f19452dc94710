#include "kube/yaml_file.h"

#include <cerrno>
#include <fstream>

#include "base/text.h"
#include "kube/yaml_json.h"

namespace huygens::kube {

StatusOr<std::vector<std::string>> ReadYamlAsJson(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  std::ifstream in(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) return Status(absl::ErrnoToStatus(errno, ToAbsl(Concat("cannot read ", path))));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMostBytes) return Invalid(Concat(path, ": longer than 1 MiB"));
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
