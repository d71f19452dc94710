#include "settings/unwise.h"

#include <algorithm>

#include "base/text.h"
#include "settings/scalar.h"

namespace huygens::settings {

namespace {

constexpr int64_t kAll = 1'000'000;  // of a ceiling, in millionths

std::string Percent(int64_t millionths) {
  std::string text = std::to_string(millionths / 10'000);
  if (const int64_t rest = millionths % 10'000; rest != 0) text += Concat(".", std::to_string(rest + 10'000).substr(1));
  return text + " %";
}

void CheckCeilings(const UsageConfiguration& usage, std::vector<std::string>& unwise) {
  for (const UsageResource& each : usage.resources) {
    if (!each.ceiling || *each.ceiling <= kAll) continue;
    std::string text = Concat("usage.resources: the ceiling on ", each.name, " is ", Percent(*each.ceiling),
                              " of the node's real allocatable, more than it has: real use never gets there");
    // Who writes 8 means 80 % or 8 %, never 800 %.
    if (*each.ceiling >= 2 * kAll) text += Concat("; did you mean ", Percent(*each.ceiling / 10), "?");
    unwise.push_back(std::move(text));
  }
}

bool AnybodyMayCall(const ServerConfiguration& server) { return server.tls && server.tls->client_ca_file.empty(); }

}  // namespace

bool IsOnlyFor(std::string_view section, const Configuration& c) {
  constexpr std::string_view kOfTheExtender[] = {"filter", "prioritize", "bind",       "topology",
                                                 "usage",  "wake",       "decisionLog"};
  const auto has = [&](std::string_view name) { return std::ranges::find(c.sections, name) != c.sections.end(); };
  return has(section) && std::ranges::none_of(kOfTheExtender, has);
}

std::vector<std::string> UnwiseForWebhook(const Configuration& c) {
  if (!AnybodyMayCall(c.server)) return {};
  return {
      Concat("server.tls.clientCAFile: is not set, as is usual, since API servers show no certificate: whoever "
             "reaches ",
             c.server.address,
             " can post reviews, and with them write charges; let nobody but API servers reach it "
             "(config/webhook/networkpolicy.yaml)")};
}

std::vector<std::string> UnwiseSettings(const Configuration& c) {
  std::vector<std::string> unwise;
  const auto on = [](const placement::CheckSetting& check) { return check.mode != policy::CheckMode::kOff; };
  if (std::ranges::none_of(c.filter.checks, on)) {
    unwise.emplace_back("filter.checks: there is none, so no node is ever refused and no pod gets zones");
  }
  if (std::ranges::none_of(c.prioritize.terms, [](const auto& term) { return term.weight > 0; })) {
    unwise.emplace_back("prioritize.terms: none has a weight above 0, so every node gets the score 0");
  }
  CheckCeilings(c.usage, unwise);
  if (AnybodyMayCall(c.server)) {
    unwise.push_back(Concat("server.tls.clientCAFile: is not set, so whoever reaches ", c.server.address,
                            " can have pods placed; name the authority of kube-scheduler's client certificate"));
  }
  if (!c.cluster.kubernetes) return unwise;
  if (!c.bind.lease.enabled) {
    unwise.emplace_back(
        "bind.lease.enabled: is false, so two instances of huygens may give away the same zone; safe only while there "
        "is never more than one, not even during a rollout");
  }
  const bool looks_at_usage = placement::ModeOf(c.filter.checks, &policy::Needs::ceilings) != policy::CheckMode::kOff;
  if (looks_at_usage && !c.usage.resources.empty() && !c.usage.prometheus && c.usage.history_file.empty()) {
    unwise.emplace_back(
        "usage: the history is in memory alone, so after each restart the check usage refuses nothing for a day; set "
        "usage.historyFile, or usage.prometheus");
  }
  return unwise;
}

}  // namespace huygens::settings
