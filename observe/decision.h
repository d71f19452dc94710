// What was decided about one pod in one call, and why: for `huygens explain`, /debug/decisions and the decision log.
// Decision is what the caller has at hand; DecisionRecord keeps a packed copy of it (node names included, since a
// NodeIndex may name another node later), a few bytes per node besides the name, rendered as JSON only when somebody
// asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "observe/node_names.h"

namespace huygens::observe {

// The texts of reasons by code; code 0 = not rejected. Fixed at start, shared by all records.
using ReasonTexts = std::shared_ptr<const std::vector<std::string>>;

struct TermOpinion {
  std::string_view name;
  double weight = 1;
  std::span<const float> scores;  // by position, 0 to 1; NaN = no opinion
};

// What a check that only reports would have refused: codes by position in `nodes`, or the one of `node` at a bind.
struct ReportedCheck {
  std::string_view check;
  std::span<const std::byte> reasons;
};

// All views need to hold only during the call that takes it. Spans by position are empty where they do not apply to the
// verb.
struct Decision {
  Time time;
  std::string_view verb;  // "filter", "prioritize", "bind"
  std::string_view pod;   // namespace/name
  std::string_view uid;
  uint64_t revision = 0;  // of the state it was decided on
  std::string_view outcome;
  std::string_view error;
  std::string_view quota;                    // why its business group, or a model it names, keeps the pod off
  std::span<const std::string_view> checks;  // that were asked, in order
  std::span<const std::string_view> nodes;   // of the request
  std::span<const std::byte> reasons;        // codes by position: std::as_bytes of a span of one-byte enums
  std::span<const ReportedCheck> reports;    // of the checks that would have refused any
  std::span<const uint32_t> kept;            // positions that a narrowed filter returned
  bool narrowed = false;
  std::span<const int64_t> scores;  // by position
  int64_t max_score = 0;
  std::span<const TermOpinion> terms;
  std::string_view node;        // of a bind
  std::string_view zones_json;  // chosen zones of a bind, as a JSON array; empty = no result
  std::string_view facts_json;  // what else a replay needs, as a JSON object; may be empty
};

class DecisionRecord {
 public:
  // `last`, if given, is a record whose node names may be the same: they are shared then.
  DecisionRecord(const Decision& decision, ReasonTexts reasons, const DecisionRecord* last = nullptr);

  std::string_view verb() const { return Text(0); }
  std::string_view pod() const { return Text(1); }
  std::string_view uid() const { return Text(2); }
  Time time() const { return time_; }
  // What it occupies in memory; shared names count for the record that came with them first.
  size_t bytes() const;

  // One JSON object without line breaks:
  //   {"time","verb","pod","uid","revision","outcome",
  //    "error"?, "quota"?, "checks"?:[name], "narrowed"?:true, "maxScore"?, "terms"?:[{"name","weight"}], "node"?,
  //    "zones"?:[..], "facts"?:{..}, "wouldRefuse"?, "nodes"?:[{"name","reason"?,"wouldRefuse"?,"kept"?:true,"score"?,
  //    "terms"?:[number or null]}]}
  // "wouldRefuse" are the reasons of checks that only report, {"CHECK":"reason"}: of the node at hand, at a bind of the
  // one that it names.
  void AppendJson(std::string& out) const;

 private:
  std::string_view Text(size_t index) const;
  void AppendNodes(std::string& out) const;
  std::string ReasonText(size_t code) const;
  void AppendReports(std::string& out, size_t position) const;

  Time time_;
  uint64_t revision_;
  int64_t max_score_;
  bool narrowed_;
  ReasonTexts reasons_;
  std::shared_ptr<const NodeNames> names_;
  bool names_are_new_;
  // One block each, in order of position, so that packing is a handful of copies.
  std::string texts_;                // fixed texts, checks, names of terms and of checks that report, back to back
  std::vector<uint32_t> text_ends_;  // of each
  std::vector<std::byte> codes_;
  std::vector<std::byte> reported_;  // check by check
  std::vector<bool> kept_;
  std::vector<int32_t> scores_;
  std::vector<double> weights_;
  std::vector<float> opinions_;  // term by term
  size_t checks_;
  size_t reports_;  // checks
};

}  // namespace huygens::observe
