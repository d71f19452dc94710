#include "kube/tab_hint.h"

#include <algorithm>

namespace huygens::kube {

std::string_view TabHint(std::string_view yaml, int line) {
  for (; line > 1; --line) yaml.remove_prefix(std::min(yaml.find('\n'), yaml.size() - 1) + 1);
  const std::string_view indent = yaml.substr(0, yaml.find_first_not_of(" \t"));
  return indent.find('\t') == std::string_view::npos ? "" : "; indent with spaces, not tabs";
}

}  // namespace huygens::kube
