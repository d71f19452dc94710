#include "capacity_writer/fact_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_replace.h"
#include "base/text.h"
#include "capacity_writer/fact_document.h"
#include "cluster/objects.h"

namespace huygens::capacity_writer {
namespace {

using real_capacity::Answer;
using real_capacity::Fact;
using usage_sources::PrometheusClient;
using usage_sources::PrometheusLabels;

std::string_view LabelIn(const PrometheusLabels& labels, std::string_view name) {
  const auto found = std::ranges::find(labels, name, [](const auto& label) { return label.first; });
  return found == labels.end() ? std::string_view() : found->second;
}

// The facts of the series of an answer, as they arrive.
class FactsOfSeries {
 public:
  explicit FactsOfSeries(const QuerySource& from) : from_(from) {}

  usage_sources::PrometheusVisitor Visitor() {
    return {.on_series = [this](const PrometheusLabels& labels) { return Begin(labels); },
            .on_sample =
                [this](Time, double value) {
                  fact_.value = value;
                  facts_.push_back(fact_);
                }};
  }

  // Series of no node and no zone are not about nodes; where there are no others the query is wrong.
  StatusOr<std::vector<Fact>> Finish() && {
    if (!facts_.empty() || left_out_.empty()) return std::move(facts_);
    return Invalid(Concat("no series names a node", from_.zone_label.empty() ? "" : " and a zone", ": ", left_out_));
  }

 private:
  bool Begin(const PrometheusLabels& labels) {
    fact_.node = std::string(LabelIn(labels, from_.node_label));
    fact_.zone = real_capacity::kWholeNode;
    if (fact_.node.empty()) return LeaveOut(Concat("the label ", from_.node_label, " is missing or empty"));
    if (from_.zone_label.empty()) return true;
    const std::string_view zone = LabelIn(labels, from_.zone_label);
    const std::optional<int> id = cluster::ParseZoneId(zone);
    if (!id) {
      return LeaveOut(Concat("the label ", from_.zone_label, " is \"", CutText(zone, 40),
                             "\", without the number of a zone at its end"));
    }
    fact_.zone = *id;
    return true;
  }

  bool LeaveOut(std::string why) {
    left_out_ = std::move(why);
    return false;
  }

  const QuerySource& from_;
  Fact fact_;
  std::vector<Fact> facts_;
  std::string left_out_;
};

Answer Failed(Status status, Time at) { return {.status = std::move(status), .at = at, .facts = {}}; }

// The client's advice is about the section that it was written for.
Status OfThisSection(const Status& status) {
  return Status(status.code(),
                absl::StrReplaceAll(status.message(), {{"usage.prometheus", "controller.realCapacity.prometheus"}}));
}

class Sources final : public FactSource {
 public:
  explicit Sources(const FactSourceOptions& options) : options_(options) {}

  Status Start() {
    if (!options_.prometheus.base_url.empty()) {
      HUYGENS_ASSIGN_OR_RETURN(prometheus_,
                               PrometheusClient::Create(options_.prometheus, options_.timeout, options_.headers));
    }
    for (const QuerySource& each : options_.queries) {
      std::unique_ptr<net::Client>& client = documents_.emplace_back();
      if (!each.query.empty()) continue;
      HUYGENS_ASSIGN_OR_RETURN(client, net::Client::Create(each.document));
    }
    return absl::OkStatus();
  }

  std::vector<Answer> Ask(Time now) override {
    std::vector<Answer> answers;
    for (size_t i = 0; i < options_.queries.size(); ++i) {
      const QuerySource& from = options_.queries[i];
      answers.push_back(from.query.empty() ? AskDocument(from, *documents_[i], now) : AskPrometheus(from, now));
    }
    return answers;
  }

  void Cancel() override {
    if (prometheus_ != nullptr) prometheus_->Cancel();
    for (const auto& each : documents_) {
      if (each != nullptr) each->Cancel();
    }
  }

 private:
  Answer AskPrometheus(const QuerySource& from, Time now) {
    if (prometheus_ == nullptr) return Failed(Invalid("there is no Prometheus to ask"), now);
    FactsOfSeries series(from);
    const auto warnings = prometheus_->Query(from.query, now, series.Visitor());
    if (!warnings.ok()) return Failed(OfThisSection(warnings.status()), now);
    if (!warnings->empty()) {
      return Failed(Unavailable(Concat("Prometheus warns, so that something may be missing: ", warnings->back())), now);
    }
    auto facts = std::move(series).Finish();
    if (!facts.ok()) return Failed(facts.status(), now);
    return {.status = absl::OkStatus(), .at = now, .facts = *std::move(facts)};
  }

  Answer AskDocument(const QuerySource& from, net::Client& client, Time now) const {
    const std::string doing = Concat("GET ", from.document.base_url, from.path.substr(0, from.path.find('?')));
    const auto reply = client.Call("GET", from.path, "", {{"Accept", "application/json"}}, options_.timeout);
    if (!reply.ok()) return Failed(reply.status(), now);
    if (reply->code != 200) return Failed(Unavailable(Concat(doing, ": HTTP ", std::to_string(reply->code))), now);
    auto document = DecodeFactDocument(reply->body, !from.zone_label.empty());
    if (!document.ok()) {
      return Failed(Annotate(document.status(), Concat(doing, ": not a document of facts (docs/real-capacity.md)")),
                    now);
    }
    // What says that it will be so only later was written by a clock that is wrong; no time of it can be trusted.
    if (document->time && *document->time > now + kClockSkew) {
      return Failed(Invalid(Concat(doing, ": its time, ", FormatRfc3339(*document->time), ", lies ahead")), now);
    }
    const Time at = std::min(document->time.value_or(now), now);
    return {.status = absl::OkStatus(), .at = at, .facts = std::move(document->facts)};
  }

  static constexpr Duration kClockSkew = std::chrono::minutes(1);

  const FactSourceOptions options_;
  std::unique_ptr<PrometheusClient> prometheus_;         // null: no query asks it
  std::vector<std::unique_ptr<net::Client>> documents_;  // one of each query; null: it asks Prometheus
};

}  // namespace

StatusOr<std::unique_ptr<FactSource>> MakeFactSource(const FactSourceOptions& options) {
  auto sources = std::make_unique<Sources>(options);
  HUYGENS_RETURN_IF_ERROR(sources->Start());
  return std::unique_ptr<FactSource>(std::move(sources));
}

}  // namespace huygens::capacity_writer
