#include "preflight/report.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "json/append.h"

namespace huygens::preflight {

namespace {

constexpr size_t kWidth = 120;
constexpr size_t kIndent = 11;

size_t Count(const Findings& findings, Severity severity) {
  return static_cast<size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

// Words in lines of kWidth at most, each but the first behind `indent` spaces.
void AppendWrapped(std::string& out, std::string_view text, size_t column) {
  std::istringstream words{std::string(text)};
  size_t at = column;
  for (std::string word; words >> word;) {
    if (at > column && at + 1 + word.size() > kWidth) {
      out += Concat("\n", std::string(column, ' '));
      at = column;
    }
    if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  out += '\n';
}

void AppendFinding(std::string& out, const Finding& finding) {
  std::string head = Concat("  ", finding.severity == Severity::kNotLooked ? "-" : Name(finding.severity));
  head.resize(kIndent, ' ');
  out += head;
  AppendWrapped(out, finding.what, kIndent);
  if (!finding.why.empty()) {
    out += std::string(kIndent, ' ');
    AppendWrapped(out, finding.why, kIndent);
  }
  // As it is, so that it can be pasted.
  std::istringstream lines{finding.mend};
  for (std::string line; std::getline(lines, line);) out += Concat(std::string(kIndent, ' '), "  ", line, "\n");
}

}  // namespace

std::string ReportText(const Findings& findings) {
  std::string out;
  for (Group group = Group::kConfiguration; group <= Group::kCertificates;
       group = static_cast<Group>(static_cast<int>(group) + 1)) {
    if (std::ranges::count(findings, group, &Finding::group) == 0) continue;
    out += Concat(out.empty() ? "" : "\n", Name(group), "\n");
    for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNotLooked, Severity::kOk}) {
      for (const Finding& finding : findings) {
        if (finding.group == group && finding.severity == severity) AppendFinding(out, finding);
      }
    }
  }
  out += Concat(out.empty() ? "" : "\n", Counted(Count(findings, Severity::kError), "error"), ", ",
                Counted(Count(findings, Severity::kWarning), "warning"), ", ",
                std::to_string(Count(findings, Severity::kOk)), " ok");
  const size_t not_looked = Count(findings, Severity::kNotLooked);
  return Concat(out, not_looked > 0 ? Concat(", ", std::to_string(not_looked), " not looked at") : "", "\n");
}

std::string ReportJson(const Findings& findings) {
  std::string out = "{\"findings\":[";
  for (const Finding& finding : findings) {
    out += out.back() == '[' ? "{\"group\":" : ",{\"group\":";
    AppendJsonString(out, Name(finding.group));
    AppendJsonField(out, "severity", Name(finding.severity));
    AppendJsonField(out, "what", finding.what);
    AppendJsonField(out, "why", finding.why);
    AppendJsonField(out, "mend", finding.mend);
    out += '}';
  }
  return Concat(out, "],\"ok\":", std::to_string(Count(findings, Severity::kOk)),
                ",\"notLookedAt\":", std::to_string(Count(findings, Severity::kNotLooked)),
                ",\"warnings\":", std::to_string(Count(findings, Severity::kWarning)),
                ",\"errors\":", std::to_string(Count(findings, Severity::kError)), "}\n");
}

}  // namespace huygens::preflight
