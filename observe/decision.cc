#include "observe/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "json/append.h"
#include "observe/utf8.h"

namespace huygens::observe {

namespace {

enum FixedText : size_t { kVerb, kPod, kUid, kOutcome, kError, kQuota, kNode, kZones, kFacts, kFixedTexts };

// Some callers pass on what an API server or a client wrote.
void AppendText(std::string& out, std::string_view text) {
  if (IsUtf8(text)) {
    AppendJsonString(out, text);
  } else {
    AppendJsonString(out, RepairUtf8(text));
  }
}

void AppendField(std::string& out, std::string_view key, std::string_view text) {
  AppendJsonKey(out, key);
  AppendText(out, text);
}

void AppendField(std::string& out, std::string_view key, int64_t number) {
  AppendJsonKey(out, key);
  AppendJsonInt(out, number);
}

// Scores have the precision of float; its shortest text is not that of the double.
void AppendScore(std::string& out, float score) {
  AppendJsonDouble(out, std::round(static_cast<double>(score) * 1e6) / 1e6);
}

}  // namespace

DecisionRecord::DecisionRecord(const Decision& decision, ReasonTexts reasons, const DecisionRecord* last)
    : time_(decision.time),
      revision_(decision.revision),
      max_score_(decision.max_score),
      narrowed_(decision.narrowed),
      reasons_(std::move(reasons)),
      names_(NodeNames::Of(decision.nodes, last ? last->names_ : nullptr)),
      names_are_new_(!last || names_ != last->names_),
      codes_(decision.reasons.begin(), decision.reasons.end()),
      checks_(decision.checks.size()),
      reports_(decision.reports.size()) {
  texts_.reserve(decision.zones_json.size() + decision.facts_json.size() + decision.error.size() + 512);
  text_ends_.reserve(kFixedTexts + decision.checks.size() + decision.terms.size() + decision.reports.size());
  auto add = [this](std::string_view text) {
    texts_ += text;
    text_ends_.push_back(static_cast<uint32_t>(texts_.size()));
  };
  for (std::string_view text : {decision.verb, decision.pod, decision.uid, decision.outcome, decision.error,
                                decision.quota, decision.node, decision.zones_json, decision.facts_json}) {
    add(text);
  }
  for (std::string_view check : decision.checks) add(check);
  for (const TermOpinion& term : decision.terms) {
    add(term.name);
    weights_.push_back(term.weight);
  }
  for (const ReportedCheck& report : decision.reports) {
    add(report.check);
    reported_.insert(reported_.end(), report.reasons.begin(), report.reasons.end());
  }
  if (decision.narrowed) {
    kept_.resize(decision.nodes.size());
    for (uint32_t position : decision.kept) {
      if (position < kept_.size()) kept_[position] = true;
    }
  }
  scores_.resize(decision.scores.size());
  std::transform(decision.scores.begin(), decision.scores.end(), scores_.begin(), [](int64_t score) {
    return static_cast<int32_t>(std::clamp<int64_t>(score, 0, std::numeric_limits<int32_t>::max()));
  });
  opinions_.reserve(decision.nodes.size() * decision.terms.size());
  for (const TermOpinion& term : decision.terms) {
    std::span<const float> scores = term.scores.first(std::min(term.scores.size(), decision.nodes.size()));
    opinions_.insert(opinions_.end(), scores.begin(), scores.end());
    opinions_.insert(opinions_.end(), decision.nodes.size() - scores.size(), std::numeric_limits<float>::quiet_NaN());
  }
}

size_t DecisionRecord::bytes() const {
  return sizeof(*this) + texts_.capacity() + text_ends_.capacity() * sizeof(uint32_t) +
         (names_are_new_ ? names_->bytes() : 0) + codes_.capacity() + reported_.capacity() + kept_.capacity() / 8 +
         scores_.capacity() * sizeof(int32_t) + weights_.capacity() * sizeof(double) +
         opinions_.capacity() * sizeof(float);
}

std::string_view DecisionRecord::Text(size_t index) const {
  size_t begin = index == 0 ? 0 : text_ends_[index - 1];
  return std::string_view(texts_).substr(begin, text_ends_[index] - begin);
}

void DecisionRecord::AppendJson(std::string& out) const {
  out += '{';
  AppendField(out, "time", FormatRfc3339Micro(time_));
  AppendField(out, "verb", Text(kVerb));
  AppendField(out, "pod", Text(kPod));
  AppendField(out, "uid", Text(kUid));
  AppendField(out, "revision", static_cast<int64_t>(revision_));
  AppendField(out, "outcome", Text(kOutcome));
  if (!Text(kError).empty()) AppendField(out, "error", Text(kError));
  if (!Text(kQuota).empty()) AppendField(out, "quota", Text(kQuota));
  if (checks_ > 0) {
    AppendJsonKey(out, "checks");
    for (size_t i = 0; i < checks_; ++i) {
      out += i == 0 ? '[' : ',';
      AppendText(out, Text(kFixedTexts + i));
    }
    out += ']';
  }
  if (narrowed_) {
    AppendJsonKey(out, "narrowed");
    out += "true";
  }
  if (max_score_ > 0) AppendField(out, "maxScore", max_score_);
  if (!weights_.empty()) {
    AppendJsonKey(out, "terms");
    for (size_t i = 0; i < weights_.size(); ++i) {
      out += i == 0 ? "[{" : ",{";
      AppendField(out, "name", Text(kFixedTexts + checks_ + i));
      AppendJsonKey(out, "weight");
      AppendJsonDouble(out, weights_[i]);
      out += '}';
    }
    out += ']';
  }
  if (!Text(kNode).empty()) AppendField(out, "node", Text(kNode));
  if (!Text(kZones).empty()) {
    AppendJsonKey(out, "zones");
    out += Text(kZones);
  }
  if (!Text(kFacts).empty()) {
    AppendJsonKey(out, "facts");
    out += Text(kFacts);
  }
  if (names_->size() == 0) AppendReports(out, 0);
  if (names_->size() > 0) {
    AppendJsonKey(out, "nodes");
    AppendNodes(out);
  }
  out += '}';
}

std::string DecisionRecord::ReasonText(size_t code) const {
  return code < reasons_->size() ? (*reasons_)[code] : Concat("reason ", std::to_string(code));
}

void DecisionRecord::AppendReports(std::string& out, size_t position) const {
  const size_t positions = std::max<size_t>(1, names_->size());
  bool any = false;
  for (size_t report = 0; report < reports_; ++report) {
    const size_t at = report * positions + position;
    const size_t code = at < reported_.size() ? static_cast<size_t>(reported_[at]) : 0;
    if (code == 0) continue;
    if (!std::exchange(any, true)) {
      AppendJsonKey(out, "wouldRefuse");
      out += '{';
    }
    AppendField(out, Text(kFixedTexts + checks_ + weights_.size() + report), ReasonText(code));
  }
  if (any) out += '}';
}

void DecisionRecord::AppendNodes(std::string& out) const {
  const std::vector<std::string_view> names = names_->List();
  for (size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "[{" : ",{";
    AppendField(out, "name", names[i]);
    size_t code = i < codes_.size() ? static_cast<size_t>(codes_[i]) : 0;
    if (code > 0) AppendField(out, "reason", ReasonText(code));
    AppendReports(out, i);
    if (i < kept_.size() && kept_[i]) {
      AppendJsonKey(out, "kept");
      out += "true";
    }
    if (i < scores_.size()) AppendField(out, "score", scores_[i]);
    if (!weights_.empty()) {
      AppendJsonKey(out, "terms");
      for (size_t term = 0; term < weights_.size(); ++term) {
        out += term == 0 ? '[' : ',';
        AppendScore(out, opinions_[term * names.size() + i]);
      }
      out += ']';
    }
    out += '}';
  }
  out += ']';
}

}  // namespace huygens::observe
