#include "rescheduling/draft.h"

#include <utility>

namespace huygens::rescheduling {

Leaver::Leaver(const placement::Placement& placement, std::shared_ptr<const cluster::Pod> of_pod, NodeIndex on)
    : pod(std::move(of_pod)),
      stand_in(StandIn(*pod)),
      source(on),
      here(placement.usage().DemandOn(on, *pod).value_or(usage::Demand()), placement.usage().options()),
      there(placement.usage().DemandOf(*stand_in), placement.usage().options()) {}

void Draft::Reset(Time now, usage::ResourceMask left_out, size_t nodes) {
  use_.Reset(now, left_out, nodes);
  planned_ = {};
  leavers_.clear();
  steps_.clear();
  settled_ = 0;
}

void Draft::Add(const std::shared_ptr<const Leaver>& leaver, NodeIndex target, Cause cause, std::string clears) {
  if (leaver->here.resources() > 0) use_.Change(leaver->source, leaver->here, -1);
  if (leaver->there.resources() > 0) use_.Change(target, leaver->there, 1);
  planned_.arrivals[target].push_back(leaver->stand_in);
  ++leavers_[leaver->source];
  planned_.left.insert(leaver->source);
  steps_.push_back({leaver, leaver->pod, leaver->source, target, cause, std::move(clears)});
}

void Draft::Settle() {
  while (settled_ < steps_.size()) steps_[settled_++].leaver.reset();
}

void Draft::TakeBack() {
  planned_.nowhere.clear();
  const Step step = std::move(steps_.back());
  steps_.pop_back();
  const Leaver& leaver = *step.leaver;
  if (leaver.here.resources() > 0) use_.Change(leaver.source, leaver.here, 1);
  if (leaver.there.resources() > 0) use_.Change(step.target, leaver.there, -1);
  auto& arrivals = planned_.arrivals[step.target];
  std::erase(arrivals, leaver.stand_in);
  if (arrivals.empty()) planned_.arrivals.erase(step.target);
  if (--leavers_[leaver.source] == 0) planned_.left.erase(leaver.source);
}

}  // namespace huygens::rescheduling
