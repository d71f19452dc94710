// What people are told of pinning: a line of the log and an Event on the pod for each change, and metrics. The notes
// come from the pinner's threads, everything else is the loop's.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "agent/part.h"
#include "kube/call_pool.h"
#include "kube/event_recorder.h"
#include "pinner/pin_note.h"

namespace huygens::agent {

class PinReports {
 public:
  explicit PinReports(const PartContext& context);
  Status Start() { return pool_.Start(context_.api_server, 1); }
  void Stop() { pool_.Stop(); }

  // Any thread.
  void Tell(const pinner::PinNote& note);
  void Refresh(const pinner::PinCounts& counts, const pinner::PinGauges& gauges);

 private:
  void SendEvent(const pinner::PinNote& note);

  const PartContext& context_;
  kube::CallPool pool_;
  std::shared_ptr<kube::EventRecorder> recorder_;
  std::array<observe::GaugeSeries, 4> containers_;
  observe::GaugeSeries waiting_, exclusive_cpus_, shared_cpus_;
  observe::CounterSeries written_, lost_, failed_, repaired_;
  pinner::PinCounts told_;
};

}  // namespace huygens::agent
