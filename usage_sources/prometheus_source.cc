#include "usage_sources/prometheus_source.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace huygens::usage_sources {
namespace {

// A list for people: "cpu, memory".
std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += Concat(text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

PrometheusSource::PrometheusSource(PrometheusOptions options, Clients clients, const PlacedPods& known)
    : options_(std::move(options)), clients_(std::move(clients)) {
  for (size_t i = 0; i < options_.usage.resources.size(); ++i) {
    const ResourceQueries own = i < options_.queries.size() ? options_.queries[i] : ResourceQueries{};
    resources_.emplace_back(i, options_.usage, own, options_.scope, known);
  }
}

StatusOr<std::unique_ptr<PrometheusSource>> PrometheusSource::Create(PrometheusOptions options,
                                                                     const PlacedPods& known) {
  Clients clients;
  const size_t most = std::max<size_t>(1, options.usage.resources.size());
  for (size_t i = 0; i < std::clamp<size_t>(options.concurrency, 1, most); ++i) {
    HUYGENS_ASSIGN_OR_RETURN(auto client, PrometheusClient::Create(options.server, options.timeout, options.headers));
    clients.push_back(std::move(client));
  }
  return std::unique_ptr<PrometheusSource>(new PrometheusSource(std::move(options), std::move(clients), known));
}

std::string PrometheusSource::name() const { return Concat("prometheus ", options_.server.base_url); }

void PrometheusSource::Cancel() {
  for (const auto& client : clients_) client->Cancel();
}

PrometheusClient::Traffic PrometheusSource::traffic() const {
  PrometheusClient::Traffic all;
  for (const auto& client : clients_) {
    all.queries += client->traffic().queries;
    all.bytes += client->traffic().bytes;
  }
  return all;
}

StatusOr<Progress> PrometheusSource::Refresh(Time now, const Deliver& deliver) {
  if (asked_ && *asked_ - now > options_.usage.slot) {
    for (PrometheusResource& resource : resources_) resource.ForgetTimes();
  }
  asked_ = now;
  if (looked_in_slot_ != usage::SlotAt(now, options_.usage.slot)) HUYGENS_RETURN_IF_ERROR(LookForRecordings(now));
  std::vector<PrometheusResource::Outcome> outcomes(resources_.size());
  const std::vector<Status> statuses = RefreshAll(now, deliver, outcomes);

  Progress progress;
  Status first_fault;
  std::string warning;
  for (size_t i = 0; i < resources_.size(); ++i) {
    Status status = Annotate(statuses[i], resources_[i].name());
    if (absl::IsCancelled(status)) return status;
    if (!status.ok()) progress.notices.emplace_back(Message(status));
    first_fault.Update(status);
    progress.more |= outcomes[i].more;
    progress.history_alone |= outcomes[i].history_alone;
    progress.left_out += outcomes[i].left_out;
    if (resources_[i].without_nodes()) progress.without_nodes.push_back(resources_[i].name());
    if (!outcomes[i].warning.empty()) warning = outcomes[i].warning;
  }
  if (progress.notices.size() == resources_.size()) HUYGENS_RETURN_IF_ERROR(first_fault);
  progress.partial = !progress.notices.empty();
  for (std::string& notice : Notices(now)) progress.notices.push_back(std::move(notice));
  if (!warning.empty()) {
    progress.notices.push_back(Concat("Prometheus warns, the data may be partial: ", warning));
  }
  return progress;
}

std::vector<Status> PrometheusSource::RefreshAll(Time now, const Deliver& deliver,
                                                 std::vector<PrometheusResource::Outcome>& outcomes) {
  std::vector<Status> statuses(resources_.size());
  std::mutex mutex;
  const Deliver one_at_a_time = [&](usage::Readings readings) {
    readings.by_node = true;
    const std::lock_guard lock(mutex);
    deliver(std::move(readings));
  };
  std::atomic<size_t> next = 0;
  const auto work = [&](PrometheusClient& client) {
    for (size_t i = next++; i < resources_.size(); i = next++) {
      statuses[i] = resources_[i].Refresh({now, client, recorded_, one_at_a_time}, outcomes[i]);
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < clients_.size(); ++i) others.emplace_back(work, std::ref(*clients_[i]));
  work(*clients_[0]);
  for (std::thread& other : others) other.join();
  return statuses;
}

Status PrometheusSource::LookForRecordings(Time now) {
  recorded_.clear();
  const auto take = [&](const PrometheusLabels& labels) {
    recorded_.insert(Recording(labels, options_.scope));
    return false;
  };
  Status asked = clients_[0]->Query(RecordingsQuery(options_.scope), now, {take, nullptr}).status();
  // Refused is this one query; the others may work.
  const bool refused = absl::IsInvalidArgument(asked) || absl::IsResourceExhausted(asked) || absl::IsOutOfRange(asked);
  if (!asked.ok() && !refused) return asked;
  recordings_fault_ = Message(asked);
  looked_in_slot_ = usage::SlotAt(now, options_.usage.slot);
  return absl::OkStatus();
}

std::vector<std::string> PrometheusSource::Notices(Time now) const {
  std::vector<std::string> unrecorded, silent, without_nodes, shortened, notices;
  std::string half_measured;
  for (const PrometheusResource& resource : resources_) {
    for (const SubjectKind kind : {SubjectKind::kWorkload, SubjectKind::kNode}) {
      const std::string& recorded = resource.expressions().Of(kind).recorded;
      if (!recorded.empty() && !recorded_.contains(recorded)) unrecorded.push_back(recorded);
    }
    if (resource.silent()) silent.push_back(resource.name());
    if (resource.without_nodes()) without_nodes.push_back(resource.name());
    if (!resource.without_nodes() && half_measured.empty()) half_measured = resource.half_measured();
    if (resource.LostSince(usage::OldestSlot(now, options_.usage))) shortened.push_back(resource.name());
    if (const std::string fault = resource.HistoryFault(); !fault.empty()) {
      notices.push_back(Concat("history of ", resource.name(), " is missing as yet: ", fault));
    }
  }
  if (!silent.empty()) {
    notices.push_back(Concat("Prometheus measures no pod's use of ", Joined(silent),
                             "; config/prometheus/README.md says what it must scrape"));
  }
  if (!without_nodes.empty()) {
    notices.push_back(Concat(
        "pods but no nodes: Prometheus measures what pods use of ", Joined(without_nodes),
        ", and of no node what it uses itself, which then counts as nothing: the series id=\"/\" of cAdvisor is "
        "dropped by relabelling, as kube-prometheus-stack does, and node_exporter and kubelet's /metrics/resource "
        "are not scraped, or not under the names of Nodes; in the values of kube-prometheus-stack one of these mends "
        "it: `nodeExporter: {enabled: true}`, `kubelet: {serviceMonitor: {resource: true}}`, "
        "`kubelet: {serviceMonitor: {cAdvisorMetricRelabelings: []}}`; config/prometheus/README.md says more"));
  }
  if (!half_measured.empty()) {
    notices.push_back(Concat("Prometheus measures the pods of some nodes and not what these use themselves, such as ",
                             half_measured, "; config/prometheus/README.md says what it must scrape"));
  }
  if (!recordings_fault_.empty()) {
    notices.push_back(Concat("Prometheus does not say what it records, so it works each answer out from raw series: ",
                             recordings_fault_));
  } else if (!unrecorded.empty()) {
    notices.push_back(
        Concat("Prometheus has no ", Joined(unrecorded),
               ", so it works each answer out from raw series; config/prometheus/rules.yaml is not loaded "
               "there, or has nothing to record"));
  }
  if (!shortened.empty()) {
    notices.push_back(Concat("some history of ", Joined(shortened), " was too much for Prometheus and is missing"));
  }
  return notices;
}

}  // namespace huygens::usage_sources
