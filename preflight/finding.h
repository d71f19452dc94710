// What preflight has to say: one thing each, with what it means and what mends it. Plain values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huygens::preflight {

enum class Severity : uint8_t {
  kOk,         // as it should be, or worth knowing
  kNotLooked,  // nobody looked: neither well nor ill
  kWarning,    // huygens works, but not as well as it could, or not for all pods
  kError,      // huygens would not start, or pods would not be scheduled
};
std::string_view Name(Severity severity);  // "ok", "notLookedAt", "warning", "error"

// In the order in which they are printed.
enum class Group : uint8_t {
  kConfiguration,
  kCluster,
  kPermissions,
  kTopology,
  kUsage,
  kQuota,
  kScheduler,
  kCertificates
};
std::string_view Name(Group group);

struct Finding {
  Group group = Group::kConfiguration;
  Severity severity = Severity::kOk;
  std::string what;
  std::string why;   // why it matters; empty where `what` says it
  std::string mend;  // commands or lines that mend it; several lines; empty where nothing has to be done
};
using Findings = std::vector<Finding>;

// Adds to one group: `constexpr AddTo Add{Group::kUsage};`
struct AddTo {
  Group group;
  void operator()(Findings& findings, Severity severity, std::string what, std::string why = "",
                  std::string mend = "") const {
    findings.push_back({group, severity, std::move(what), std::move(why), std::move(mend)});
  }
};

// 0: all is well, 1: warnings, 2: errors.
int ExitCode(const Findings& findings);

// "a, b, c and 12 more".
std::string SomeOf(const std::vector<std::string>& names);
// "1 node", "3 nodes".
std::string Counted(size_t count, std::string_view one);

}  // namespace huygens::preflight
