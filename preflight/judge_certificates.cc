#include "preflight/judge_certificates.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"

namespace huygens::preflight {

namespace {

using std::chrono::days;

constexpr auto kSoon = days(14);

std::string DaysText(Duration left) {
  const auto count = std::chrono::floor<days>(left).count();
  return count == 0 ? "in less than a day" : Concat("in ", Counted(static_cast<size_t>(count), "day"));
}

Finding JudgeOne(const CertificatesAt& at, Time now) {
  Finding finding{.group = Group::kCertificates, .severity = Severity::kOk, .what = "", .why = "", .mend = ""};
  const std::string name = Concat(at.what, " (", at.where, ")");
  if (!at.read.ok()) {
    finding.severity = at.elsewhere ? Severity::kNotLooked : Severity::kError;
    finding.what = Concat(name, at.elsewhere ? ": not looked at" : " cannot be read");
    finding.why = Message(at.read.status());
    if (!at.elsewhere) finding.mend = at.renew;
    return finding;
  }
  // Of several authorities one that holds is enough; of a chain the first is the one that is shown.
  const net::Certificate& counts =
      at.authorities ? *std::ranges::max_element(*at.read, {}, &net::Certificate::not_after) : at.read->front();
  const Time begins = counts.not_before, ends = counts.not_after;
  if (ends <= now) {
    finding.severity = Severity::kError;
    finding.what = Concat(name, " ended at ", FormatRfc3339(ends));
  } else if (begins > now) {
    finding.severity = Severity::kError;
    finding.what = Concat(name, " is valid only from ", FormatRfc3339(begins), " on: is the clock right?");
  } else if (ends - now < kSoon) {
    finding.severity = Severity::kWarning;
    finding.what = Concat(name, " ends ", DaysText(ends - now), ", at ", FormatRfc3339(ends));
  } else {
    finding.what = Concat(name, " ends ", DaysText(ends - now));
  }
  const auto named = [&](const std::string& allowed) {
    return std::ranges::find(at.read->front().names, allowed) != at.read->front().names.end();
  };
  if (finding.severity == Severity::kOk && !at.allowed_clients.empty() &&
      std::ranges::none_of(at.allowed_clients, named)) {
    finding.severity = Severity::kError;
    finding.what = Concat(name, " is for ", SomeOf(at.read->front().names), ", and server.tls.allowedClients has ",
                          SomeOf(at.allowed_clients));
    finding.why = "Every handshake is refused.";
    finding.mend = Concat("server: {tls: {allowedClients: [",
                          at.read->front().names.empty() ? "NAME" : at.read->front().names.front(), "]}}");
    return finding;
  }
  if (finding.severity != Severity::kOk) {
    finding.why = at.when_bad;
    finding.mend = at.renew;
  }
  return finding;
}

}  // namespace

Findings JudgeCertificates(const std::vector<CertificatesAt>& certificates, Time now) {
  Findings findings;
  for (const CertificatesAt& each : certificates) findings.push_back(JudgeOne(each, now));
  return findings;
}

}  // namespace huygens::preflight
