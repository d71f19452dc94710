// Decisions to test with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "observe/decision.h"
#include "observe/decision_ring.h"

namespace huygens::observe {

inline ReasonTexts SomeReasons() {
  return std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"", "too small", "too full"});
}

inline Decision SomeDecision(std::string_view verb) {
  return {.time = *ParseRfc3339("2026-11-21T11:36:17Z"),
          .verb = verb,
          .pod = "default/a",
          .uid = "u-1",
          .revision = 7,
          .outcome = "ok"};
}

inline std::shared_ptr<const DecisionRecord> SomeRecord(std::string_view pod, std::string_view uid) {
  Decision decision = SomeDecision("bind");
  decision.pod = pod;
  decision.uid = uid;
  return std::make_shared<const DecisionRecord>(decision, SomeReasons());
}

// Newest first.
inline std::vector<std::shared_ptr<const DecisionRecord>> Find(const DecisionRing& ring, const DecisionQuery& query,
                                                               size_t limit) {
  std::vector<std::shared_ptr<const DecisionRecord>> found;
  for (auto next = ring.Before(query, DecisionRing::kNewest); next && found.size() < limit;
       next = ring.Before(query, next->number)) {
    found.push_back(next->record);
  }
  return found;
}

// As /debug/decisions shows them.
inline std::string Json(const DecisionRing& ring, const DecisionQuery& query, size_t limit) {
  std::string out = R"({"decisions":[)";
  for (const auto& record : Find(ring, query, limit)) {
    if (out.back() != '[') out += ',';
    record->AppendJson(out);
  }
  return out += "]}";
}

}  // namespace huygens::observe
