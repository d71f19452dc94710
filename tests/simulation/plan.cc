#include "tests/simulation/plan.h"

#include "base/text.h"

namespace huygens::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kVerbs[] = {
    "create group",  "set budget", "toggle key",        "delete group", "create deployment", "scale",
    "resize",        "move",       "delete deployment", "create pod",   "end pod",           "create job",
    "scale job",     "transfer",   "end transfer",      "kill webhook", "kill controller",   "kill extender",
    "change leader", "cut watch",  "cut calls"};

Settings WideSettings(Stream& random) {
  Settings settings;
  settings.webhooks = random.Within(1, 2);
  settings.extender = random.Chance(0.5);
  settings.hours = random.Chance(0.5);
  settings.exact_hours = settings.hours && random.Chance(0.7);
  settings.models = random.Chance(0.4);
  settings.resync = random.Chance(0.3) ? std::chrono::minutes(5) : std::chrono::minutes(60);
  if (random.Chance(0.6)) settings.clock_offset = seconds(random.Within(0, 4));
  const auto share = [&](double most) { return random.Chance(0.5) ? 0.0 : random.Uniform() * most; };
  settings.calls = {.lost_request = share(0.1), .lost_answer = share(0.2), .slow = share(0.1), .error = share(0.1)};
  settings.requests = {.lost_after_yes = share(0.2), .slow_store = share(0.15)};
  const int late = random.Below(4);
  if (late == 0) {
    settings.lag = {.usual = milliseconds(3), .longest = milliseconds(3), .often = 0};
  } else if (late > 1 && !settings.exact_hours) {
    settings.lag = {.usual = milliseconds(random.Within(1, 200)),
                    .longest = milliseconds(random.Within(200, 8000)),
                    .often = random.Uniform() * 0.3};
  }
  if (settings.exact_hours) settings.finished_pods_stay = std::chrono::minutes(10);
  settings.transfers = random.Chance(0.3);
  settings.periods = settings.hours && random.Chance(0.4);
  settings.period_begins = seconds(random.Within(30, 300));
  return settings;
}

// Verbs with how often each comes.
std::vector<std::pair<Verb, int>> VerbsOf(const Settings& settings, Stream& random, Breadth breadth) {
  if (breadth == Breadth::kThin) return {{Verb::kCreateDeployment, 1}};
  const auto some = [&](int most) { return random.Chance(0.3) ? 0 : random.Within(1, most); };
  std::vector<std::pair<Verb, int>> verbs = {{Verb::kCreateDeployment, 20},
                                             {Verb::kScale, some(12)},
                                             {Verb::kResize, some(4)},
                                             {Verb::kMove, some(4)},
                                             {Verb::kDeleteDeployment, some(6)},
                                             {Verb::kCreatePod, some(6)},
                                             {Verb::kEndPod, some(4)},
                                             {Verb::kCreateJob, some(6)},
                                             {Verb::kScaleJob, some(3)},
                                             {Verb::kTransfer, settings.transfers ? 4 : 0},
                                             {Verb::kEndTransfer, settings.transfers ? 2 : 0},
                                             {Verb::kSetBudget, some(6)},
                                             {Verb::kToggleKey, some(2)},
                                             {Verb::kCreateGroup, some(3)},
                                             {Verb::kDeleteGroup, some(3)},
                                             {Verb::kKillWebhook, some(2)},
                                             {Verb::kKillExtender, settings.extender ? some(2) : 0},
                                             {Verb::kCutCalls, some(3)},
                                             {Verb::kCutWatch, some(4)}};
  // Whoever leads next takes over what was counted, and not who was whose until when.
  const bool moves = !settings.exact_hours || random.Chance(0.5);
  if (!moves) verbs[3].second = 0;
  if (!settings.exact_hours || !moves) {
    verbs.emplace_back(Verb::kKillController, some(2));
    verbs.emplace_back(Verb::kChangeLeader, some(2));
  }
  return verbs;
}

Verb Draw(const std::vector<std::pair<Verb, int>>& verbs, Stream& random) {
  int all = 0;
  for (const auto& [verb, weight] : verbs) all += weight;
  int at = random.Below(all);
  for (const auto& [verb, weight] : verbs) {
    if (at < weight) return verb;
    at -= weight;
  }
  return verbs.front().first;
}

// Many small Deployments of one group, one after the other, so that it is busy.
void AddBursts(Stream& random, int groups, Duration end, Plan& plan) {
  int number = 1000;
  for (int burst = random.Within(1, 6); burst > 0; --burst) {
    Duration at = random.Between(plan.settings.faults_from, end);
    const int group = random.Below(groups);
    for (int count = random.Within(4, 25); count > 0; --count) {
      at += random.Between(Duration(), milliseconds(random.Chance(0.1) ? 900 : 60));
      plan.operations.push_back({.verb = Verb::kCreateDeployment,
                                 .number = number,
                                 .at = at,
                                 .target = number,
                                 .group = group,
                                 .amount = 1,
                                 .milli_cores = random.Within(1, 3) * 100});
      ++number;
    }
  }
}

}  // namespace

Plan MakePlan(uint64_t seed, Breadth breadth, bool advances) {
  Plan plan{.seed = seed};
  Stream random(seed);
  if (breadth == Breadth::kWide) plan.settings = WideSettings(random);
  Stream of_advance(seed ^ 0xad7a9ce);
  if (advances) {
    plan.settings.advance = {.on = true,
                             .instance = {},
                             .name = "webhook",
                             .share = of_advance.Within(2, 8),
                             .busy = static_cast<size_t>(of_advance.Within(1, 3)),
                             .least = static_cast<size_t>(of_advance.Within(1, 3))};
  }
  const int groups = breadth == Breadth::kThin ? 1 : random.Within(1, 6);
  Duration at = seconds(1);
  for (int i = 0; i < groups; ++i) {  // parents first; the next one once the controller has counted
    plan.operations.push_back({.verb = Verb::kCreateGroup,
                               .number = i,
                               .at = at,
                               .target = i,
                               .group = i == 0 ? 0 : random.Below(i),
                               .amount = i == 0 ? random.Within(12, 40) : random.Within(2, 12)});
    at += seconds(2);
  }
  plan.settings.faults_from = at;
  const auto verbs = VerbsOf(plan.settings, random, breadth);
  const int count = random.Within(20, 160);
  for (int i = 0; i < count; ++i) {
    if (!random.Chance(0.5)) {  // else at the same moment as the one before
      at +=
          random.Chance(0.2) ? random.Between(seconds(1), seconds(30)) : random.Between(Duration(), milliseconds(700));
    }
    Operation operation{.verb = Draw(verbs, random), .number = groups + i, .at = at};
    operation.target = random.Below(8);
    operation.group = random.Below(groups);
    operation.amount = random.Within(0, 5);
    operation.milli_cores = random.Within(1, 4) * 500;
    operation.flavour = random.Below(4);
    switch (operation.verb) {
      case Verb::kCreateGroup:
      case Verb::kSetBudget:
      case Verb::kToggleKey:
      case Verb::kDeleteGroup:
        operation.target = random.Below(groups + 1);
        operation.amount = random.Within(1, operation.target == 0 ? 40 : 14);
        break;
      case Verb::kKillWebhook:
      case Verb::kKillController:
      case Verb::kKillExtender:
      case Verb::kChangeLeader:
        operation.amount = random.Chance(0.2) ? random.Within(5, 60) : random.Within(0, 3);
        break;
      case Verb::kCutWatch:
      case Verb::kCutCalls:
        operation.amount = random.Chance(0.3) ? random.Within(20, 150) : random.Within(1, 20);
        break;
      default:
        break;
    }
    plan.operations.push_back(operation);
  }
  if (advances) AddBursts(of_advance, groups, at, plan);
  return plan;
}

std::string Text(const Operation& operation) {
  return Concat("#", std::to_string(operation.number), " at ",
                std::to_string(std::chrono::duration_cast<milliseconds>(operation.at).count()),
                " ms: ", kVerbs[static_cast<size_t>(operation.verb)], " ", std::to_string(operation.target), " group ",
                std::to_string(operation.group), " amount ", std::to_string(operation.amount), " cores ",
                std::to_string(operation.milli_cores), "m flavour ", std::to_string(operation.flavour));
}

std::string Text(const Plan& plan) {
  const Settings& s = plan.settings;
  const auto share = [](double value) { return std::to_string(static_cast<int>(value * 1000)); };
  std::string text = Concat(
      "seed ", std::to_string(plan.seed), ": webhooks ", std::to_string(s.webhooks), s.extender ? ", extender" : "",
      s.hours ? ", hours" : "", s.exact_hours ? " exact" : "", s.periods ? " by periods" : "",
      s.models ? ", models" : "", s.advance.on ? ", advances" : "", s.transfers ? ", transfers" : "",
      "; per mille of calls: lost requests ", share(s.calls.lost_request), ", lost answers ",
      share(s.calls.lost_answer), ", slow ", share(s.calls.slow), ", errors ", share(s.calls.error),
      "; lost after yes ", share(s.requests.lost_after_yes), ", slowly stored ", share(s.requests.slow_store),
      "; watches ", std::to_string(std::chrono::duration_cast<milliseconds>(s.lag.longest).count()), " ms late\n");
  for (const Operation& each : plan.operations) text += Concat("  ", Text(each), "\n");
  return text;
}

}  // namespace huygens::simulation
