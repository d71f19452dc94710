// Fields that the configurations of all programs have. Apart from the others, so that a program without a decision core
// need not link one.
#include "settings/walk.h"

namespace huygens::settings {
namespace {

constexpr std::string_view kLevels[] = {"debug", "info", "warn", "error"};
constexpr std::string_view kFormats[] = {"text", "json"};

}  // namespace

void Describe(Walk& walk, KubernetesConfiguration& c) {
  walk.Value("kubeconfig", Text(c.kubeconfig, "file", AnyText), "\"\" = in-cluster service account");
}

void Describe(Walk& walk, LogConfiguration& c) {
  walk.Value("level", Choice(kLevels, c.level), "what is below it is left out");
  walk.Value("format", Choice(kFormats, c.format), "key=value, or one JSON object per line");
}

}  // namespace huygens::settings
