// The decisions on a pod as /debug/decisions of a running huygens tells them (observe/decision.h has the format). Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/node_document.h"
#include "base/status.h"
#include "base/time.h"

namespace huygens::cli {

struct DecisionView {
  struct Term {
    std::string name;
    double weight = 1;
  };
  struct NodeVerdict {
    std::string name;
    std::string reason;        // empty: not refused
    std::string would_refuse;  // "usage: node(s) would ...", by checks that only report; empty: by none
    bool kept = false;         // returned by a filter that narrowed its answer
    std::optional<int64_t> score;
    std::vector<std::optional<double>> opinions;  // by term; nothing = no opinion
  };

  Time time{};
  std::string verb;
  std::string pod;
  std::string uid;
  std::string outcome;
  std::string error;
  std::string quota;  // why its business group, or a model it names, keeps the pod off; may be empty
  bool narrowed = false;
  int64_t max_score = 0;
  std::vector<std::string> checks;
  std::vector<Term> terms;
  std::vector<NodeVerdict> nodes;
  std::string node;                     // of a bind
  std::vector<admin::ZoneShare> zones;  // of a bind
  std::string would_refuse;             // of the node of a bind, as above
};

// Newest first.
StatusOr<std::vector<DecisionView>> DecodeDecisions(std::string_view json);

}  // namespace huygens::cli
