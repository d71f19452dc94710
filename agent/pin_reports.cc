#include "agent/pin_reports.h"

#include <utility>

#include "base/backoff.h"
#include "base/text.h"
#include "wire/event_object.h"

namespace huygens::agent {
namespace {

using pinner::NoteKind;
using pinner::PinNote;

std::string_view ReasonOf(NoteKind kind) {
  switch (kind) {
    case NoteKind::kPinned:
      return "Pinned";
    case NoteKind::kRepaired:
      return "PinRepaired";
    case NoteKind::kNotPinned:
      return "NotPinned";
    case NoteKind::kFailed:
      return "PinFailed";
    case NoteKind::kConflict:
    case NoteKind::kState:
      break;
  }
  return "";
}

std::string_view LineOf(NoteKind kind) {
  switch (kind) {
    case NoteKind::kPinned:
      return "pinned";
    case NoteKind::kRepaired:
      return "repaired: somebody had changed its CPU set";
    case NoteKind::kNotPinned:
      return "not pinned";
    case NoteKind::kFailed:
      return "its CPU set does not stay";
    case NoteKind::kConflict:
      return "CPUs in use have gone";
    case NoteKind::kState:
      break;
  }
  return "state file";
}

std::string MessageOf(const PinNote& note) {
  const std::string on = Concat("container ", note.container, ": CPUs ", note.cpus, " (", PoolName(note.pool), ")");
  return note.text.empty() ? on : Concat(on, ": ", note.text);
}

constexpr const char* kUpdates = "huygens_agent_pin_updates_total";
constexpr const char* kUpdatesHelp =
    "Updates of CPU sets through the runtime: taken (ok), of these without effect since the container was starting "
    "(lost), refused (failed).";
constexpr const char* kContainers = "huygens_agent_pinned_containers";
constexpr const char* kContainersHelp = "Running containers by the pool of CPUs that they belong to.";
constexpr const char* kCpus = "huygens_agent_pool_cpus";
constexpr const char* kCpusHelp = "CPUs that belong to one pod each, and those that the others share.";

}  // namespace

PinReports::PinReports(const PartContext& context)
    : context_(context),
      pool_(context.loop),
      recorder_(std::make_shared<kube::EventRecorder>(
          context.clock, SystemRandom(),
          kube::EventRecorderOptions{.reporter = "huygens-agent", .instance = context.node_name})),
      containers_{context.metrics.MakeGauge(kContainers, kContainersHelp, {{"pool", "shared"}}),
                  context.metrics.MakeGauge(kContainers, kContainersHelp, {{"pool", "numa"}}),
                  context.metrics.MakeGauge(kContainers, kContainersHelp, {{"pool", "immovable"}}),
                  context.metrics.MakeGauge(kContainers, kContainersHelp, {{"pool", "exclusive"}})},
      waiting_(context.metrics.MakeGauge("huygens_agent_pins_waiting",
                                         "Running containers that are not on the CPUs where they belong.")),
      exclusive_cpus_(context.metrics.MakeGauge(kCpus, kCpusHelp, {{"pool", "exclusive"}})),
      shared_cpus_(context.metrics.MakeGauge(kCpus, kCpusHelp, {{"pool", "shared"}})),
      written_(context.metrics.MakeCounter(kUpdates, kUpdatesHelp, {{"result", "ok"}})),
      lost_(context.metrics.MakeCounter(kUpdates, kUpdatesHelp, {{"result", "lost"}})),
      failed_(context.metrics.MakeCounter(kUpdates, kUpdatesHelp, {{"result", "failed"}})),
      repaired_(context.metrics.MakeCounter("huygens_agent_pins_repaired_total",
                                            "CPU sets that somebody else had changed, and that were put right.")) {}

void PinReports::Tell(const PinNote& note) {
  const auto level = note.Warning() ? observe::LogLevel::kWarn : observe::LogLevel::kInfo;
  if (note.pod.empty()) {
    context_.log.Write(level, LineOf(note.kind), {{"what", note.text}});
    return;
  }
  context_.log.Write(level, LineOf(note.kind),
                     {{"pod", Concat(note.namespace_name, "/", note.pod)},
                      {"container", note.container},
                      {"pool", PoolName(note.pool)},
                      {"cpus", note.cpus},
                      {"why", note.text}});
  SendEvent(note);
}

void PinReports::SendEvent(const PinNote& note) {
  const std::string message = MessageOf(note);
  const std::string_view reason = ReasonOf(note.kind);
  if (!recorder_->Allow(note.uid, {.reason = reason, .message = message, .repeat_key = message})) return;
  pool_.Post([recorder = recorder_, note, message](net::Client& client) -> kube::CallPool::Then {
    const wire::EventSubject subject{
        .api_version = "v1", .kind = "Pod", .namespace_name = note.namespace_name, .name = note.pod, .uid = note.uid};
    // Whoever may write no Events, or has no API server just now, has the log.
    recorder->Send(client, subject, ReasonOf(note.kind), message, note.Warning()).IgnoreError();
    return {};
  });
}

void PinReports::Refresh(const pinner::PinCounts& counts, const pinner::PinGauges& gauges) {
  for (size_t pool = 0; pool < containers_.size(); ++pool) containers_[pool].Set(gauges.containers[pool]);
  waiting_.Set(gauges.waiting);
  exclusive_cpus_.Set(gauges.exclusive_cpus);
  shared_cpus_.Set(gauges.shared_cpus);
  written_.Add(counts.written - told_.written);
  lost_.Add(counts.lost - told_.lost);
  failed_.Add(counts.failed - told_.failed);
  repaired_.Add(counts.repaired - told_.repaired);
  told_ = counts;
}

}  // namespace huygens::agent
