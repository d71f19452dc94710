// The two faces of the configuration's description that people read: the commented defaults and the reference tables.
#include "base/text.h"
#include "settings/commented_yaml.h"
#include "settings/paths.h"
#include "settings/walk.h"
#include "settings/yaml.h"

namespace huygens::settings {

std::vector<FieldEntry> AllFields() {
  Configuration defaults;
  return FieldsOf([&](Walk& walk) { Describe(walk, defaults); });
}

std::string ToYaml(Configuration configuration) {
  return CommentedYaml([&](Walk& walk) { Describe(walk, configuration); });
}

std::string DefaultsYaml() {
  return Concat("# The configuration of `huygens extender --config FILE`: every field with its default.\n", ToYaml({}));
}

std::string ReferenceMarkdown() {
  std::string out;
  for (const FieldEntry& field : AllFields()) {
    bool top = field.path.find('.') == field.path.npos;
    if (top && field.kind == "section") {
      out += Concat(out.empty() ? "" : "\n", "### ", field.path, "\n\n", field.comment, "\n\n");
      out += "| Field | Kind | Default | Meaning |\n|---|---|---|---|\n";
      continue;
    }
    if (top) continue;  // apiVersion and kind
    std::string value = field.default_value.empty() ? "–" : Concat("`", field.default_value, "`");
    if (field.kind == "section" || field.kind == "list") value = field.default_value.empty() ? "" : field.default_value;
    out += Concat("| `", field.path, "` | ", field.kind, " | ", value, " | ", field.comment, " |\n");
  }
  return out;
}

}  // namespace huygens::settings
