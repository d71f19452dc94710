#include "cli/decisions.h"

#include "base/quantity.h"
#include "wire/json_reader.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadTime(JsonReader& in, Time& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  HUYGENS_ASSIGN_OR_RETURN(out, ParseRfc3339(text));
  return absl::OkStatus();
}

Status ReadTerm(JsonReader& in, DecisionView::Term& term) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(term.name);
    return key.text == "weight" ? in.Read(term.weight) : absl::OkStatus();
  });
}

Status ReadOpinion(JsonReader& in, std::optional<double>& opinion) {
  if (in.SkipNull()) return absl::OkStatus();
  return in.Read(opinion.emplace());
}

// {"usage":"node(s) would exceed the usage ceiling"}
Status ReadReports(JsonReader& in, std::string& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    const std::string check(key.text);
    std::string reason;
    HUYGENS_RETURN_IF_ERROR(in.Read(reason));
    out += Concat(out.empty() ? "" : "; ", check, ": ", reason);
    return absl::OkStatus();
  });
}

Status ReadVerdict(JsonReader& in, DecisionView::NodeVerdict& node) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(node.name);
    if (key.text == "reason") return in.Read(node.reason);
    if (key.text == "wouldRefuse") return ReadReports(in, node.would_refuse);
    if (key.text == "kept") return in.Read(node.kept);
    if (key.text == "score") return in.Read(node.score.emplace());
    if (key.text != "terms") return absl::OkStatus();
    return wire::ReadList(in, node.opinions, [&](std::optional<double>& opinion) { return ReadOpinion(in, opinion); });
  });
}

// {"name":"node0","cpuMilli":4000}: other resources bear their own name and are in their base unit.
Status ReadZone(JsonReader& in, admin::ZoneShare& zone) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.text == "name") return in.Read(zone.name);
    int64_t amount = 0;
    std::string resource(key.text);
    HUYGENS_RETURN_IF_ERROR(in.Read(amount));
    if (resource == "cpuMilli") {
      zone.amount.emplace_back("cpu", Quantity::FromMilli(amount).Canonical());
    } else {
      auto format = resource == "memory" ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI;
      zone.amount.emplace_back(resource, Quantity::FromInt(amount, format).Canonical());
    }
    return absl::OkStatus();
  });
}

Status ReadDecision(JsonReader& in, DecisionView& decision) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "time") return ReadTime(in, decision.time);
    if (key.text == "verb") return in.Read(decision.verb);
    if (key.text == "pod") return in.Read(decision.pod);
    if (key.text == "uid") return in.Read(decision.uid);
    if (key.text == "outcome") return in.Read(decision.outcome);
    if (key.text == "error") return in.Read(decision.error);
    if (key.text == "quota") return in.Read(decision.quota);
    if (key.text == "narrowed") return in.Read(decision.narrowed);
    if (key.text == "maxScore") return in.Read(decision.max_score);
    if (key.text == "node") return in.Read(decision.node);
    if (key.text == "wouldRefuse") return ReadReports(in, decision.would_refuse);
    if (key.text == "checks")
      return wire::ReadList(in, decision.checks, [&](std::string& name) { return in.Read(name); });
    if (key.text == "terms") return wire::ReadList(in, decision.terms, [&](auto& term) { return ReadTerm(in, term); });
    if (key.text == "nodes")
      return wire::ReadList(in, decision.nodes, [&](auto& node) { return ReadVerdict(in, node); });
    if (key.text == "zones")
      return wire::ReadList(in, decision.zones, [&](admin::ZoneShare& zone) { return ReadZone(in, zone); });
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<std::vector<DecisionView>> DecodeDecisions(std::string_view json) {
  return wire::DecodeObject<std::vector<DecisionView>>(json, [](JsonReader& in, std::vector<DecisionView>& decisions) {
    return in.Members([&](const JsonKey& key) {
      if (key.text != "decisions") return absl::OkStatus();
      return wire::ReadList(in, decisions, [&](DecisionView& decision) { return ReadDecision(in, decision); });
    });
  });
}

}  // namespace huygens::cli
