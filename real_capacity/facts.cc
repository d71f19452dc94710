#include "real_capacity/facts.h"

#include <algorithm>

namespace huygens::real_capacity {
namespace {

// A zone that no answer named for so long is as one that none ever named.
constexpr uint64_t kRemembered = 1000;

}  // namespace

void QueryFacts::Take(const Answer& answer) {
  fault_.clear();
  if (!answer.status.ok()) {
    fault_ = std::string(Message(answer.status));
  } else if (answer.facts.empty()) {
    fault_ = "the answer names no zone and no node at all";
  }
  if (!fault_.empty()) {
    failed_ = good_;
    return;
  }
  ++good_;
  answered_ = answer.at;
  for (const Fact& fact : answer.facts) {
    Known& known = nodes_[fact.node][per_zone_ ? fact.zone : kWholeNode];
    known.twice = known.answer == good_;
    known.value = fact.value;
    known.answer = good_;
  }
  for (auto& [node, zones] : nodes_) {
    std::erase_if(zones, [this](const auto& each) { return good_ - each.second.answer > kRemembered; });
  }
  std::erase_if(nodes_, [](const auto& node) { return node.second.empty(); });
}

Reading QueryFacts::Of(std::string_view node, int zone) const {
  if (!fault_.empty() || good_ == 0) {
    return {.why = Concat(name_, ": ", fault_.empty() ? "was not answered yet" : fault_)};
  }
  Reading reading{.state = Reading::State::kAbsent, .answers = good_ - failed_, .at = *answered_};
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return reading;
  const auto known = found->second.find(per_zone_ ? zone : kWholeNode);
  if (known == found->second.end()) return reading;
  if (known->second.answer != good_) {
    reading.answers = good_ - std::max(failed_, known->second.answer);
    return reading;
  }
  if (known->second.twice) {
    return {.state = Reading::State::kAmbiguous,
            .why = Concat(name_, ": two series are of this ", per_zone_ ? "zone" : "node",
                          "; aggregate them in the query, as with max by (node, zone)")};
  }
  reading.state = Reading::State::kValue;
  reading.answers = 0;
  reading.value = known->second.value;
  return reading;
}

void QueryFacts::ForEach(absl::FunctionRef<void(std::string_view node, int zone)> visit) const {
  if (!fault_.empty()) return;
  for (const auto& [node, zones] : nodes_) {
    for (const auto& [zone, known] : zones) {
      if (known.answer == good_) visit(node, zone);
    }
  }
}

}  // namespace huygens::real_capacity
