// What happens in one simulation: operations of users and of bad luck, each at its time, all made from a seed before
// anything runs, so that some of them can be left out and the others stay as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advances/advance.h"
#include "base/time.h"
#include "tests/simulation/network.h"
#include "tests/simulation/requests.h"

namespace huygens::simulation {

enum class Verb : uint8_t {
  kCreateGroup,
  kSetBudget,
  kToggleKey,
  kDeleteGroup,
  kCreateDeployment,
  kScale,
  kResize,
  kMove,
  kDeleteDeployment,
  kCreatePod,
  kEndPod,
  kCreateJob,
  kScaleJob,
  kTransfer,
  kEndTransfer,
  kKillWebhook,
  kKillController,
  kKillExtender,
  kChangeLeader,
  kCutWatch,
  kCutCalls,
};

struct Operation {
  Verb verb = Verb::kScale;
  int number = 0;  // says what it draws
  Duration at{};
  int target = 0;  // which Deployment, group, pod or instance
  int group = 0;   // where to
  int amount = 0;  // replicas, cores of a budget, or seconds
  int milli_cores = 1000;
  int flavour = 0;  // of the way: PUT or PATCH, resumed or listed anew, ...
};
std::string Text(const Operation& operation);

struct Settings {
  int webhooks = 1;
  bool extender = false;
  bool hours = false;    // budgets of hours
  bool periods = false;  // of these: they come anew when `period_begins`
  Duration period_begins{};
  bool transfers = false;
  bool exact_hours = false;  // nothing happens by which hours depend on when somebody learned of it
  bool models = false;
  Duration finished_pods_stay = std::chrono::seconds(5);
  Duration resync = std::chrono::hours(1);
  Duration clock_offset{};  // of webhooks, at most, either way
  Duration faults_from{};   // until then the first groups are made
  CallFaults calls;
  RequestFaults requests;
  WatchLag lag;
  advances::AdvanceOptions advance;  // of webhooks
};

struct Plan {
  uint64_t seed = 0;
  Settings settings;
  std::vector<Operation> operations;
};

// How much may happen.
enum class Breadth : uint8_t { kThin, kWide };
// `advances`: webhooks keep some of groups ahead of need, and think soon that one is busy, and there are bursts of
// creations besides.
Plan MakePlan(uint64_t seed, Breadth breadth = Breadth::kWide, bool advances = false);
std::string Text(const Plan& plan);

}  // namespace huygens::simulation
