#include "preflight/finding.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::preflight {

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kOk:
      return "ok";
    case Severity::kNotLooked:
      return "notLookedAt";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

std::string_view Name(Group group) {
  switch (group) {
    case Group::kConfiguration:
      return "configuration";
    case Group::kCluster:
      return "cluster";
    case Group::kPermissions:
      return "permissions";
    case Group::kTopology:
      return "topology";
    case Group::kUsage:
      return "usage";
    case Group::kQuota:
      return "quota";
    case Group::kScheduler:
      return "scheduler";
    case Group::kCertificates:
      break;
  }
  return "certificates";
}

int ExitCode(const Findings& findings) {
  const auto worst = std::ranges::max_element(findings, {}, &Finding::severity);
  if (worst == findings.end() || worst->severity < Severity::kWarning) return 0;
  return worst->severity == Severity::kWarning ? 1 : 2;
}

std::string SomeOf(const std::vector<std::string>& names) {
  constexpr size_t kMost = 5;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) text += Concat(i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMost) text += Concat(" and ", std::to_string(names.size() - kMost), " more");
  return text;
}

std::string Counted(size_t count, std::string_view one) {
  return Concat(std::to_string(count), " ", one, count == 1 ? "" : "s");
}

}  // namespace huygens::preflight
