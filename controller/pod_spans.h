// Since when, and until when, each pod has been whose, for as long as its hours are not counted: of pods that are gone,
// too, since the API server forgets them. Only of groups whose hours are counted. Times come in; owned by one thread.
//
// A pod is its payer's (workloads::PayerOf). It starts anew where it comes to another group, or takes other amounts; one
// whose owner is gone stays whose it was.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/text.h"
#include "base/time.h"
#include "controller/observed.h"
#include "workloads/charge.h"
#include "workloads/index.h"
#include "workloads/object.h"

namespace huygens::controller {

class PodSpans {
 public:
  // Whether hours of the group are counted.
  using IsCounted = absl::FunctionRef<bool(std::string_view group)>;

  // The pod as it is now.
  void Set(const workloads::WorkloadObject& pod, const workloads::WorkloadIndex& known, const workloads::Costs& costs,
           IsCounted is_counted, Time now);
  void Gone(std::string_view uid, Time now);
  // Those with an owner that was not known when they were set: to be set again before they are counted.
  std::vector<std::string> Unresolved() const { return {unresolved_.begin(), unresolved_.end()}; }

  // Those of the group, that run and that ended and were not forgotten.
  std::vector<CountedPod> Of(std::string_view group) const;
  // Whether one of it runs.
  bool AnyRuns(std::string_view group) const { return running_.contains(group); }
  // The hours of the group are counted up to this time: what ended before is of no more use.
  void Counted(std::string_view group, Time until);

 private:
  struct Running {
    std::string group;
    CountedPod pod;
  };

  void End(std::string_view uid, Time at);

  TextMap<Running> pods_;                                              // by UID
  std::map<std::string, std::set<std::string>, std::less<>> running_;  // their UIDs by group
  std::map<std::string, std::vector<CountedPod>, std::less<>> ended_;
  TextSet finished_;    // of those that ended, the UIDs of pods that are still there
  TextSet unresolved_;  // UIDs
};

}  // namespace huygens::controller
