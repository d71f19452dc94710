// The fields of the section `controller.realCapacity`, as settings/fields.cc has those of the others.
#include <chrono>

#include "base/quantity.h"
#include "base/text.h"
#include "settings/walk.h"

namespace huygens::settings {

using std::chrono::hours;
using std::chrono::seconds;

namespace {

constexpr std::string_view kCapacityModes[] = {"off", "report", "enforce"};
constexpr std::string_view kZoneObjects[] = {"crane", "community", "both"};
constexpr std::string_view kRefuseOrCarryOver[] = {"refuse", "carryOver"};
constexpr std::string_view kUnitsOfAttributes[] = {"cpu", "number"};
constexpr int64_t kMostThousandths = int64_t{1} << 53;

// Not printed while it is as it begins.
Scalar Unsaid(bool as_it_begins, Scalar scalar) {
  if (as_it_begins) scalar.text.clear();
  return scalar;
}

std::string AmountFault(std::string_view text, int64_t& thousandths) {
  const StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok() || !(*quantity == Quantity::FromMilli(quantity->MilliValue()))) {
    return Concat("not an amount (want text such as 500m, 0.5 or 12): ", CutText(text, 64));
  }
  if (quantity->Sign() < 0 || quantity->MilliValue() > kMostThousandths) return Concat("must be 0 or more, not ", text);
  thousandths = quantity->MilliValue();
  return "";
}

Scalar Amount(int64_t& value) {
  return {.kind = "amount, such as 500m or 12",
          .text = Quantity::FromMilli(value).Canonical(),
          .set = [&value](std::string_view text, bool) { return AmountFault(text, value); }};
}

Scalar Amount(std::optional<int64_t>& value) {
  return {.kind = "amount, such as 500m or 12",
          .text = value ? Quantity::FromMilli(*value).Canonical() : "",
          .set = [&value](std::string_view text, bool) {
            int64_t read = 0;
            std::string fault = AmountFault(text, read);
            if (fault.empty()) value = read;
            return fault;
          }};
}

// In one item of a list of headers, names or labels: whatever is no space.
std::string NoSpace(std::string_view text) {
  return text.find_first_of(" \t\n") == text.npos ? "" : "must not hold spaces";
}

}  // namespace

void Describe(Walk& walk, RealCapacityFacts& c) {
  walk.Value("mode", Choice(kCapacityModes, c.mode),
             "off; report: sources are asked, and what would be written is counted and logged; enforce: it is written");
  walk.Value("objects", Choice(kZoneObjects, c.objects),
             "whose NodeResourceTopology is written: crane's (managed nodes), the community's (kubelet pins), or both");
  walk.Value("interval", Span(c.interval, seconds(1), hours(1)), "between two questions to the sources");
  walk.Value("period", Span(c.period, seconds(1), hours(24)), "between two writes of one node's object, at least");
  walk.Value("refresh", Span(c.refresh, seconds(0), hours(24)),
             "an amount that stays is written again for its time, well before topology.realCapacity.staleAfter; 0s = "
             "never");
  walk.Value("writesPerSecond", Integer(c.writes_per_second, 1, 1000), "over the whole cluster");
  walk.Value(
      "withoutListMap", Choice(kRefuseOrCarryOver, c.without_list_map),
      "where the definition of the kind has no map of zones: nothing is written, or by a patch into the list that "
      "another writer owns and may write over");
  walk.Value("takeOver", Flag(c.take_over), "write over attributes that another writer owns, and own them");
  walk.Optional("prometheus", c.prometheus, "Who answers queries; not needed where all facts are documents.");
  walk.List("queries", c.queries, "Facts by name, for the formulas.");
  walk.List("attributes", c.attributes,
            "Attributes of zones, each with the time of its facts beside it (NAME_updated).");
}

void Describe(Walk& walk, FactQuery& c) {
  const FactQuery begins;
  walk.Value("name", Text(c.name, "name", NotEmpty), "as formulas say it: letters, digits and _");
  walk.Value("query", Unsaid(c.query.empty(), Text(c.query, "PromQL", AnyText)),
             "an instant vector of one series for each zone; or url");
  walk.Value("url", Unsaid(c.url.empty(), Text(c.url, "URL", HttpUrl)),
             "of a JSON document {\"time\", \"items\": [{\"node\", \"zone\", \"value\"}]}");
  walk.Value("bearerTokenFile", Unsaid(c.bearer_token_file.empty(), Text(c.bearer_token_file, "file", AnyText)),
             "for url");
  walk.Value("caFile", Unsaid(c.ca_file.empty(), Text(c.ca_file, "file", AnyText)), "PEM, for url");
  walk.Value("nodeLabel", Unsaid(c.node_label == begins.node_label, Text(c.node_label, "label name", LabelName)),
             "of the series: whose value is the name of the node");
  walk.Value("zoneLabel", Text(c.zone_label, "label name", NoSpace),
             "whose value ends with the number of the zone; \"\" = the facts are of nodes as wholes");
}

void Describe(Walk& walk, FactAttribute& c) {
  walk.Value("name", Text(c.name, "name", NotEmpty), "offline_capacity is what huygens itself reads");
  walk.Value("formula", Text(c.formula, "formula", NotEmpty),
             "+ - * / min() max() ( ) over numbers, names of queries, and the zone's allocatable and capacity in CPUs");
  walk.Value("unit", Choice(kUnitsOfAttributes, c.unit),
             "cpu: written as a quantity (14500m), rounded down; number: as a decimal number");
  walk.Value("step", Amount(c.step), "a change of no more than this is none");
  walk.Value("maxRise", Amount(c.max_rise), "of one write; absent: anything");
  walk.Value("maxFall", Amount(c.max_fall), "likewise");
  walk.Value("atMost", Amount(c.at_most), "more is not believed, and nothing is written; absent: anything is");
  walk.Value("vanishedAfter", Integer(c.vanished_after, 1, 1000),
             "good answers in a row that do not name the zone, before the attribute is removed");
}

}  // namespace huygens::settings
