#include "kube/manifest_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/read_file.h"
#include "kube/tab_hint.h"
#include "kube/yaml_json.h"
#include "wire/list.h"

namespace huygens::kube {
namespace {

namespace fs = std::filesystem;
// A dump of a whole cluster fits many times.
constexpr size_t kMostMib = 1024;

using Take = std::function<Status(ManifestObject)>;

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool IsManifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return (extension == ".yaml" || extension == ".yml" || extension == ".json") && path.stem() != "kustomization";
}

StatusOr<std::vector<fs::path>> Files(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_regular_file(directory, error)) return std::vector<fs::path>{directory};
  error.clear();
  for (auto entry = fs::recursive_directory_iterator(directory, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (IsHidden(entry->path())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_regular_file() && IsManifest(entry->path())) files.push_back(entry->path());
  }
  if (error) {
    std::error_code none;
    const std::string from = fs::path(directory).is_relative() ? fs::current_path(none).string() : "";
    return NotFound(Concat(directory, ": ", error.message(),
                           from.empty() ? "" : Concat(" (relative to the working directory ", from, ")")));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The kind of the items of a PodList and so on, where they do not say themselves; nothing for a plain List.
void Inherit(const wire::ObjectMeta& list, wire::ObjectMeta& item) {
  if (item.kind.empty() && list.kind != "List") item.kind = list.kind.substr(0, list.kind.size() - 4);
  if (item.api_version.empty()) item.api_version = list.api_version;
}

Status TakeObject(std::string json, std::string place, const wire::ObjectMeta* list, const Take& take) {
  ManifestObject object{.json = std::move(json), .place = std::move(place), .meta = {}};
  auto meta = wire::DecodeObjectMeta(object.json);
  if (!meta.ok()) return Annotate(meta.status(), object.place);
  object.meta = *std::move(meta);
  if (list != nullptr) Inherit(*list, object.meta);
  if (object.meta.kind.empty()) return Invalid(Concat(object.place, ": not a Kubernetes object: it has no kind"));
  if (object.meta.name.empty()) return Invalid(Concat(object.place, ": ", object.meta.kind, " without metadata.name"));
  return take(std::move(object));
}

bool IsList(const wire::ObjectMeta& meta) { return meta.kind.ends_with("List"); }

Status ReadJson(const fs::path& path, const std::string& text, const Take& take) {
  const std::string name = path.string();
  const auto meta = wire::DecodeObjectMeta(text);
  if (!meta.ok()) return Annotate(meta.status(), name);
  if (!IsList(*meta)) return TakeObject(text, Concat(name, ":1"), nullptr, take);
  const auto list = wire::DecodeList(text);
  if (!list.ok()) return Annotate(list.status(), name);
  Status faults;
  for (const wire::ListItem& item : list->items) {
    const auto begin = text.begin();
    const auto line = 1 + std::count(begin, begin + (item.text.data() - text.c_str()), '\n');
    AddFault(faults, TakeObject(std::string(item.text), Concat(name, ":", std::to_string(line)), &*meta, take));
  }
  return faults;
}

Status TakeYaml(const std::string& name, const YAML::Node& node, const wire::ObjectMeta* list, const Take& take) {
  const std::string place = Concat(name, ":", std::to_string(LineOf(node)));
  std::string json;
  if (const Status status = AppendYamlAsJson(json, node); !status.ok()) return Annotate(status, name);
  return TakeObject(std::move(json), place, list, take);
}

Status ReadDocument(const std::string& name, const YAML::Node& document, const Take& take) {
  if (!document.IsMap())
    return Invalid(Concat(name, ":", std::to_string(LineOf(document)), ": not a Kubernetes object"));
  const YAML::Node kind = document["kind"];
  const YAML::Node items = document["items"];
  if (!kind.IsDefined() || !kind.IsScalar() || !kind.Scalar().ends_with("List") || !items.IsDefined())
    return TakeYaml(name, document, nullptr, take);
  wire::ObjectMeta list;
  list.kind = kind.Scalar();
  if (const YAML::Node version = document["apiVersion"]; version.IsDefined() && version.IsScalar())
    list.api_version = version.Scalar();
  Status faults;
  for (const YAML::Node& item : items) AddFault(faults, TakeYaml(name, item, &list, take));
  return faults;
}

Status ReadYaml(const fs::path& path, const std::string& text, const Take& take) {
  Status faults;
  for (const YAML::Node& document : YAML::LoadAll(text)) {
    if (document.IsDefined() && !document.IsNull()) AddFault(faults, ReadDocument(path.string(), document, take));
  }
  return faults;
}

Status ReadManifest(const fs::path& path, const Take& take) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string(), "manifest", kMostMib));
  try {
    return path.extension() == ".json" ? ReadJson(path, text, take) : ReadYaml(path, text, take);
  } catch (const YAML::Exception& fault) {
    const int line = fault.mark.line + 1;
    return Invalid(Concat(path.string(), ":", std::to_string(line), ": ", fault.msg, TabHint(text, line)));
  }
}

}  // namespace

void AddFault(Status& faults, const Status& fault) {
  if (fault.ok()) return;
  faults = faults.ok() ? fault : Invalid(Concat(Message(faults), "\n", Message(fault)));
}

Status ForEachManifest(const std::string& directory, const Take& take) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<fs::path> files, Files(directory));
  Status faults;
  for (const fs::path& path : files) AddFault(faults, ReadManifest(path, take));
  return faults;
}

}  // namespace huygens::kube
