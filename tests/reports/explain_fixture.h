// The records that the extender keeps of one pod, over their JSON to the text that a person reads.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "observe/decision_ring.h"
#include "policy/explained.h"
#include "reports/explain_report.h"
#include "tests/observe/decisions.h"

namespace huygens::reports {

class Explain : public testing::Test {
 protected:
  static constexpr float kNoOpinion = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::string_view kNodes[] = {"n1", "n2", "n3"};

  void Add(observe::Decision decision) {
    time_ += std::chrono::seconds(1);
    decision.time = time_;
    decision.pod = "default/p";
    if (decision.uid.empty()) decision.uid = "uid-1";
    ring_.Add(std::make_shared<const observe::DecisionRecord>(decision, texts_));
  }
  void Filter(const std::vector<uint8_t>& codes, std::string_view uid = "") {
    Add({.verb = "filter", .uid = uid, .outcome = "ok", .nodes = kNodes, .reasons = std::as_bytes(std::span(codes))});
  }
  // Of three nodes the third is refused, with this reason, and of the others only the second is kept.
  void FilterNarrowedToTheSecond(uint8_t reason) {
    const uint8_t codes[] = {0, 0, reason};
    const uint32_t kept[] = {1};
    Add({.verb = "filter",
         .outcome = "ok",
         .nodes = kNodes,
         .reasons = std::as_bytes(std::span(codes)),
         .kept = kept,
         .narrowed = true});
  }
  void Prioritize() {
    const int64_t scores[] = {5, 8};
    const float few[] = {0.5, 1}, used[] = {kNoOpinion, 0.25};
    const observe::TermOpinion terms[] = {{"FewestZones", 3, few}, {"LeastUsed", 1.5, used}};
    const std::string_view nodes[] = {"n1", "n2"};
    Add({.verb = "prioritize", .outcome = "ok", .nodes = nodes, .scores = scores, .max_score = 10, .terms = terms});
  }
  void Bind(std::string_view node, std::string_view error) {
    Add({.verb = "bind",
         .outcome = error.empty() ? "bound" : "rejected",
         .error = error,
         .node = node,
         .zones_json = R"([{"name":"node0","cpuMilli":2500,"memory":1073741824}])"});
  }
  std::string Text() {
    const std::string json = Json(ring_, {"default/p"}, 100);
    const auto said = DecodeJson<admin_api::DecisionListDocument>(json);
    EXPECT_TRUE(said.ok()) << said.status();
    EXPECT_EQ(EncodeJson(*said), json) << "whoever reads it misses something";
    return ExplainText(said->decisions, time_ + std::chrono::seconds(30));
  }

  Time time_ = *ParseRfc3339("2026-11-21T12:00:00Z");
  observe::ReasonTexts texts_ = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"", "no NRT", "too small", "node(s) would exceed the usage ceiling"});
  observe::DecisionRing ring_;
};

// With what holds of the pod now beside the decisions.
class ExplainNow : public Explain {
 protected:
  ExplainNow() {
    auto texts = std::make_shared<std::vector<std::string>>(std::size(policy::kReasons));
    for (policy::Reason reason : policy::kReasons) (*texts)[static_cast<size_t>(reason)] = policy::Explained(reason);
    texts_ = texts;
  }
  static uint8_t Code(policy::Reason reason) { return static_cast<uint8_t>(reason); }
  std::string TextWith(std::string_view now, std::string_view quota = "", std::string_view left_above = "",
                       Duration later = std::chrono::seconds(30)) {
    const auto decisions = DecodeJson<admin_api::DecisionListDocument>(Json(ring_, {"default/p"}, 100));
    const auto view = DecodeJson<admin_api::PodDocument>(now);
    EXPECT_TRUE(decisions.ok() && view.ok()) << view.status();
    const auto budget = DecodeJson<admin_api::PodQuotaDocument>(quota.empty() ? "{}" : quota);
    EXPECT_TRUE(budget.ok()) << budget.status();
    return ExplainText(decisions->decisions, time_ + later, &*view, quota.empty() ? nullptr : &*budget, left_above);
  }
  void FilterAll(policy::Reason reason, std::string_view quota = "") {
    const std::vector<uint8_t> codes(3, Code(reason));
    Add({.verb = "filter",
         .outcome = "rejected",
         .quota = quota,
         .nodes = kNodes,
         .reasons = std::as_bytes(std::span(codes))});
  }
};

}  // namespace huygens::reports
