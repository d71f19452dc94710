#include "settings/yaml.h"

#include "base/read_file.h"
#include "settings/paths.h"
#include "settings/rules.h"
#include "settings/strict_yaml.h"
#include "settings/walk.h"

namespace huygens::settings {

StatusOr<Configuration> ParseConfiguration(std::string_view yaml, std::string_view file) {
  Configuration configuration;
  HUYGENS_ASSIGN_OR_RETURN(configuration.sections,
                           ReadStrictly(yaml, file,
                                        {.kind = kKind,
                                         .describe = [&](Walk& walk) { Describe(walk, configuration); },
                                         .check = [&](const ReportFault& report) { CheckRules(configuration, report); },
                                         .all_fields = AllFields}));
  return configuration;
}

StatusOr<Configuration> LoadConfiguration(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, "configuration"));
  return ParseConfiguration(text, path);
}

}  // namespace huygens::settings
