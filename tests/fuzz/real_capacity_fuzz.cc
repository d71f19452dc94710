// Any bytes as a formula, as a document of facts, as a topology object and as its definition: what comes back can be used,
// or says why not; and a plan by whatever was read is written as JSON.
#include <cmath>

#include "capacity_writer/fact_document.h"
#include "capacity_writer/list_map.h"
#include "capacity_writer/zone_object.h"
#include "capacity_writer/zone_patches.h"
#include "json/reader.h"
#include "real_capacity/plan.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using cluster::TopologySource;
using fuzz::Require;

const std::vector<std::string> kNames = real_capacity::FormulaNames(std::vector<std::string>{"busy"});
constexpr Time kNow = Time(std::chrono::hours(500'000));

void CheckFormula(std::string_view text) {
  const auto formula = real_capacity::Formula::Parse(text, kNames);
  if (!formula.ok()) return Require(!Message(formula.status()).empty(), "an error has a message");
  const auto value = formula->Evaluate(std::vector<double>{8, 10, 2.5});
  Require(!value.ok() || std::isfinite(*value), "a value is a number");
}

void CheckDocument(std::string_view json) {
  for (const bool per_zone : {false, true}) {
    const auto document = capacity_writer::DecodeFactDocument(json, per_zone);
    if (!document.ok()) continue;
    real_capacity::QueryFacts facts("busy", per_zone);
    facts.Take({.status = absl::OkStatus(), .at = kNow, .facts = document->facts});
    for (const real_capacity::Fact& each : document->facts) {
      Require(facts.Of(each.node, each.zone).state != real_capacity::Reading::State::kAbsent, "what is named is known");
    }
  }
}

void CheckObject(std::string_view json, TopologySource source) {
  const auto object = capacity_writer::DecodeZoneObject(json, source);
  if (!object.ok()) return;
  real_capacity::Rules rules;
  rules.attributes.push_back(
      {.name = "offline_capacity", .formula = *real_capacity::Formula::Parse("max(0, capacity - busy)", kNames)});
  std::vector<real_capacity::QueryFacts> facts = {real_capacity::QueryFacts("busy", false)};
  facts[0].Take({.status = absl::OkStatus(), .at = kNow, .facts = {{object->name, real_capacity::kWholeNode, 1}}});
  const auto plan = real_capacity::PlanFor(rules, facts, object->name, object->States(), kNow, std::nullopt);
  Require(JsonReader::Check(capacity_writer::EncodeApply(*object, plan.zones)).ok(), "what is applied is JSON");
  const std::vector<std::string> names = {"offline_capacity", "offline_capacity_updated"};
  const std::string patch = capacity_writer::EncodeJsonPatch(*object, plan.zones, names);
  Require(patch.empty() || JsonReader::Check(patch).ok(), "a patch is JSON");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckFormula(text);
  huygens::CheckDocument(text);
  for (const auto source : {huygens::cluster::TopologySource::kCrane, huygens::cluster::TopologySource::kCommunity}) {
    huygens::CheckObject(text, source);
    (void)huygens::capacity_writer::ZonesAreMap(text, source);
  }
  return 0;
}
