#include <algorithm>

#include "kube/api_call.h"
#include "kube/binder.h"

namespace huygens::kube {
namespace {

constexpr size_t kMaxTotal = size_t{256} << 10;
constexpr size_t kMaxName = 63;

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// "name" or "prefix/name", as k8s.io/apimachinery/pkg/util/validation, IsQualifiedName.
bool IsQualifiedName(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    if (!IsObjectName(key.substr(0, slash))) return false;
    key.remove_prefix(slash + 1);
  }
  if (key.empty() || key.size() > kMaxName || !IsAlphanumeric(key.front()) || !IsAlphanumeric(key.back())) return false;
  return std::all_of(key.begin(), key.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace

Status ValidateAnnotations(const std::vector<std::pair<std::string, std::string>>& annotations) {
  size_t total = 0;
  for (const auto& [key, value] : annotations) {
    if (!IsQualifiedName(key))
      return Invalid(Concat("annotation key \"", key.substr(0, 100), "\" is not a qualified name"));
    total += key.size() + value.size();
  }
  if (total > kMaxTotal) {
    return Invalid(Concat("the annotations have ", std::to_string(total), " bytes; Kubernetes allows ",
                          std::to_string(kMaxTotal)));
  }
  return absl::OkStatus();
}

}  // namespace huygens::kube
