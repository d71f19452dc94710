#include "real_capacity/plan.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace huygens::real_capacity {
namespace {

constexpr int64_t kLargest = int64_t{1} << 53;  // thousandths: what a double holds exactly

const std::string* Find(const Attributes& attributes, std::string_view name) {
  for (const auto& [each, text] : attributes) {
    if (each == name) return &text;
  }
  return nullptr;
}

// What the zone says now of one attribute.
struct Stored {
  const std::string* text = nullptr;  // null: it has none
  const std::string* updated_text = nullptr;
  std::optional<int64_t> amount;
  std::optional<Time> updated;
  bool ours = false;
};

Stored StoredIn(const ZoneState& zone, const std::string& name) {
  const std::string updated = Concat(name, kUpdatedSuffix);
  Stored stored{.text = Find(zone.attributes, name), .updated_text = Find(zone.attributes, updated)};
  stored.ours = zone.ours.contains(name);
  if (stored.text != nullptr) stored.amount = ParseAmount(*stored.text);
  if (stored.updated_text == nullptr) return stored;
  if (auto time = ParseRfc3339(*stored.updated_text); time.ok()) stored.updated = *time;
  return stored;
}

// What the facts make of it.
struct Computed {
  enum class State : uint8_t { kUnknown, kAbsent, kRefused, kAmount } state = State::kUnknown;
  std::string why;
  uint64_t answers = 0;  // kAbsent: in a row
  int64_t amount = 0;
  Time at;  // the oldest of the facts in it
};

Computed Refuse(std::string why) { return {.state = Computed::State::kRefused, .why = std::move(why)}; }

// Down to a whole thousandth, but not for what the last digits of a double lack.
Computed AmountOf(const AttributeRule& rule, double value, Time at) {
  const double thousandths = std::floor(value * 1000 + 1e-6);
  if (thousandths < 0) return Refuse("the formula gives less than zero; max(0, ...) says that it may");
  if (thousandths > static_cast<double>(kLargest)) return Refuse("the formula gives more than can be written");
  const auto amount = static_cast<int64_t>(thousandths);
  if (rule.most && amount > *rule.most) {
    return Refuse(Concat("the formula gives ", AmountText(amount, rule.unit), ", more than the ",
                         AmountText(*rule.most, rule.unit), " that are believed"));
  }
  return {.state = Computed::State::kAmount, .amount = amount, .at = at};
}

Computed Compute(const AttributeRule& rule, std::span<const QueryFacts> facts, std::string_view node,
                 const ZoneState& zone) {
  std::vector<double> values(kOwnNames + facts.size());
  values[0] = static_cast<double>(zone.allocatable) / 1000;
  values[1] = static_cast<double>(zone.capacity) / 1000;
  std::optional<Time> at;
  std::optional<uint64_t> absent;
  for (const size_t name : rule.formula.names()) {
    if (name < kOwnNames) continue;
    const Reading reading = facts[name - kOwnNames].Of(node, zone.id);
    if (reading.state == Reading::State::kUnknown) return {.why = reading.why};
    if (reading.state == Reading::State::kAmbiguous) return Refuse(reading.why);
    if (reading.state == Reading::State::kAbsent) absent = std::max(absent.value_or(0), reading.answers);
    values[name] = reading.value;
    at = std::min(at.value_or(reading.at), reading.at);
  }
  if (absent) return {.state = Computed::State::kAbsent, .answers = *absent};
  if (!at) return {.why = "the formula has no fact in it"};
  const StatusOr<double> value = rule.formula.Evaluate(values);
  if (!value.ok()) return Refuse(Concat("the formula, ", Message(value.status())));
  return AmountOf(rule, *value, *at);
}

// As far as one write may go.
int64_t Limited(const AttributeRule& rule, const Stored& stored, int64_t amount) {
  if (!stored.amount) return amount;
  if (rule.rise) amount = std::min(amount, *stored.amount + *rule.rise);
  if (rule.fall) amount = std::max(amount, *stored.amount - *rule.fall);
  return amount;
}

// Works through the zones and attributes of one object.
class Planner {
 public:
  Planner(const Rules& rules, std::span<const QueryFacts> facts, std::string_view node, Time now)
      : rules_(rules), facts_(facts), node_(node), now_(now) {}

  void Look(const ZoneState& zone) {
    ZonePlan planned{.zone = zone.name};
    for (const AttributeRule& rule : rules_.attributes) LookAt(zone, rule, planned.attributes);
    for (const std::string& name : zone.ours) {
      if ((HasRule(name) && zone.counts) || IsTimeOfAnother(zone, name)) continue;
      const std::string* const text = Find(zone.attributes, name);
      Found(zone, name,
            {.outcome = Outcome::kRemove,
             .before = text == nullptr ? "" : *text,
             .why = zone.counts ? "no rule is for it" : "the zone is gone"});
    }
    std::ranges::sort(planned.attributes);
    if (!planned.attributes.empty()) plan_.zones.push_back(std::move(planned));
  }

  // Time of the last write by this process or, as the object tells it, by an earlier leader.
  Plan Finish(std::optional<Time> written) && {
    if (written) last_ = std::max(last_.value_or(*written), *written);
    const auto wants = [](const Finding& each) {
      return each.outcome == Outcome::kWrite || each.outcome == Outcome::kRemove;
    };
    plan_.write = std::ranges::any_of(plan_.findings, wants);
    // One whose last write lies ahead was written by a clock that is wrong, or this one is: nobody waits for that.
    if (plan_.write && last_ && *last_ <= now_ && now_ < *last_ + rules_.period) {
      plan_.write = false;
      plan_.again = *last_ + rules_.period - now_;
      for (Finding& each : plan_.findings) {
        if (wants(each)) each.outcome = Outcome::kHeld;
      }
    }
    if (!plan_.write) plan_.zones.clear();
    return std::move(plan_);
  }

 private:
  // Told of with what it is the time of.
  static bool IsTimeOfAnother(const ZoneState& zone, std::string_view name) {
    return name.ends_with(kUpdatedSuffix) &&
           zone.ours.contains(name.substr(0, name.size() - std::string_view(kUpdatedSuffix).size()));
  }
  bool HasRule(std::string_view name) const {
    return std::ranges::any_of(rules_.attributes, [&](const AttributeRule& rule) {
      return name == rule.name || name == Concat(rule.name, kUpdatedSuffix);
    });
  }
  void Found(const ZoneState& zone, const std::string& attribute, Finding finding) {
    finding.zone = zone.name;
    finding.attribute = attribute;
    plan_.findings.push_back(std::move(finding));
  }

  // As it is, if it is huygens' own.
  static void Keep(const AttributeRule& rule, const Stored& stored, Attributes& planned) {
    if (!stored.ours || stored.text == nullptr) return;
    planned.emplace_back(rule.name, *stored.text);
    if (stored.updated_text != nullptr) planned.emplace_back(Concat(rule.name, kUpdatedSuffix), *stored.updated_text);
  }

  void LookAt(const ZoneState& zone, const AttributeRule& rule, Attributes& planned) {
    if (!zone.counts) return;
    const Stored stored = StoredIn(zone, rule.name);
    if (stored.ours && stored.updated) last_ = std::max(last_.value_or(*stored.updated), *stored.updated);
    const Computed computed = Compute(rule, facts_, node_, zone);
    Finding finding{.before = stored.text == nullptr ? "" : *stored.text, .why = computed.why};
    switch (computed.state) {
      case Computed::State::kAmount:
        return Write(zone, rule, stored, computed, planned);
      case Computed::State::kUnknown:
        if (stored.text == nullptr) return;  // nobody knows whether the source names this zone
        finding.outcome = Outcome::kStale;
        break;
      case Computed::State::kRefused:
        finding.outcome = Outcome::kRefused;
        break;
      case Computed::State::kAbsent:
        if (stored.text == nullptr || !stored.ours) return;
        finding.outcome = computed.answers >= rule.vanished_after ? Outcome::kRemove : Outcome::kAbsent;
        finding.why = "its source names the zone no more";
        break;
    }
    if (finding.outcome != Outcome::kRemove) Keep(rule, stored, planned);
    Found(zone, rule.name, std::move(finding));
  }

  void Write(const ZoneState& zone, const AttributeRule& rule, const Stored& stored, const Computed& computed,
             Attributes& planned) {
    const int64_t amount = Limited(rule, stored, computed.amount);
    Finding finding{.before = stored.text == nullptr ? "" : *stored.text, .after = AmountText(amount, rule.unit)};
    if (amount != computed.amount) {
      finding.why = Concat("a jump to ", AmountText(computed.amount, rule.unit), " is made in steps");
    }
    const bool moved = !stored.ours || !stored.amount || std::abs(computed.amount - *stored.amount) > rule.step;
    // A source that says nothing newer has nothing to refresh.
    const bool newer = !stored.updated || std::chrono::floor<std::chrono::seconds>(computed.at) > *stored.updated;
    const bool old = rules_.refresh > Duration::zero() && newer &&
                     (!stored.updated || now_ - *stored.updated >= rules_.refresh || *stored.updated > now_);
    finding.outcome = moved || old ? Outcome::kWrite : Outcome::kCurrent;
    if (moved || newer) {  // whatever is written, it is written by what is known now
      planned.emplace_back(rule.name, finding.after);
      planned.emplace_back(Concat(rule.name, kUpdatedSuffix), FormatRfc3339(computed.at));
    } else {
      Keep(rule, stored, planned);
      finding.after = finding.before;
    }
    Found(zone, rule.name, std::move(finding));
  }

  const Rules& rules_;
  const std::span<const QueryFacts> facts_;
  const std::string_view node_;
  const Time now_;
  Plan plan_;
  std::optional<Time> last_;
};

constexpr const char* kNames[kOutcomes] = {"nothing", "current", "write", "held",
                                           "absent",  "remove",  "stale", "refused"};

}  // namespace

const char* Name(Outcome outcome) { return kNames[static_cast<size_t>(outcome)]; }

Plan PlanFor(const Rules& rules, std::span<const QueryFacts> facts, std::string_view node,
             std::span<const ZoneState> zones, Time now, std::optional<Time> written) {
  Planner planner(rules, facts, node, now);
  for (const ZoneState& zone : zones) planner.Look(zone);
  return std::move(planner).Finish(written);
}

}  // namespace huygens::real_capacity
