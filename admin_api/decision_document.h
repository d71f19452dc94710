// What /debug/decisions says, for whoever reads it; the lists of fields are the format (json/document.h).
// observe::DecisionRecord writes it, from a packed form and for the decision log, too. A text that is empty, and what
// else is not set, does not apply to the verb. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace huygens::admin_api {

struct DecisionDocument {
  struct Term {
    std::string name;
    double weight = 1;

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("weight", self.weight);
    }
    bool operator==(const Term&) const = default;
  };
  // What bind chose of a zone: "cpuMilli", and other resources by their own name in their base unit.
  struct Zone {
    std::string name;
    std::vector<std::pair<std::string, int64_t>> amounts;

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Others(self.amounts);
    }
    bool operator==(const Zone&) const = default;
  };
  // What else a replay needs.
  struct Facts {
    std::vector<std::pair<std::string, std::vector<std::string>>> victims;  // UIDs by node
    // Of a pod of a gang that filter refused: how many others of it had a node, and how many of it were not bound,
    // itself among them.
    std::optional<int64_t> gang_holds, gang_pods;

    static void Describe(auto& self, auto& fields) {
      fields.IfSet("victims", self.victims);
      fields.IfSet("gangHolds", self.gang_holds);
      fields.IfSet("gangPods", self.gang_pods);
    }
    bool operator==(const Facts&) const = default;
  };
  // The reasons of checks that only report, by check: {"usage":"node(s) would exceed the usage ceiling"}.
  using Reports = std::vector<std::pair<std::string, std::string>>;
  struct Node {
    std::string name;
    std::string reason;  // empty: not refused
    Reports would_refuse;
    bool kept = false;  // returned by a filter that narrowed its answer
    std::optional<int64_t> score;
    std::vector<std::optional<double>> terms;  // opinions by position in `terms` of the decision; nothing = none

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.IfSet("reason", self.reason);
      fields.IfSet("wouldRefuse", self.would_refuse);
      fields.IfSet("kept", self.kept);
      fields.IfSet("score", self.score);
      fields.IfSet("terms", self.terms);
    }
    bool operator==(const Node&) const = default;
  };

  Time time{};
  std::string verb;  // "filter", "prioritize", "preempt", "bind"
  std::string pod;   // NAMESPACE/NAME
  std::string uid;
  int64_t revision = 0;  // of the state it was decided on
  std::string outcome, error;
  std::string quota;                // why its business group, or a model it names, keeps the pod off
  std::vector<std::string> checks;  // that were asked, in order
  bool narrowed = false;
  int64_t max_score = 0;
  std::vector<Term> terms;
  std::string node;         // of a bind
  std::vector<Zone> zones;  // of a bind
  std::optional<Facts> facts;
  Reports would_refuse;  // of the node of a bind
  std::vector<Node> nodes;

  static void Describe(auto& self, auto& fields) {
    fields.Always("time", self.time);
    fields.Always("verb", self.verb);
    fields.Always("pod", self.pod);
    fields.Always("uid", self.uid);
    fields.Always("revision", self.revision);
    fields.Always("outcome", self.outcome);
    fields.IfSet("error", self.error);
    fields.IfSet("quota", self.quota);
    fields.IfSet("checks", self.checks);
    fields.IfSet("narrowed", self.narrowed);
    fields.IfSet("maxScore", self.max_score);
    fields.IfSet("terms", self.terms);
    fields.IfSet("node", self.node);
    fields.IfSet("zones", self.zones);
    fields.IfSet("facts", self.facts);
    fields.IfSet("wouldRefuse", self.would_refuse);
    fields.IfSet("nodes", self.nodes);
  }
  bool operator==(const DecisionDocument&) const = default;
};

struct DecisionListDocument {
  std::vector<DecisionDocument> decisions;  // newest first

  static void Describe(auto& self, auto& fields) { fields.Always("decisions", self.decisions); }
  bool operator==(const DecisionListDocument&) const = default;
};

}  // namespace huygens::admin_api
