// What goes wrong, and its end.
#include <iterator>
#include <utility>

#include "tests/simulation/world.h"

namespace huygens::simulation {
namespace {

using std::chrono::seconds;

constexpr Duration kLease = seconds(15);

}  // namespace

void World::Kill(const Operation& operation) {
  ++tally_.restarts;
  const Duration down = seconds(operation.amount);
  Note(Text(operation));
  if (operation.verb == Verb::kKillExtender) {
    extender_.reset();
    return time_.After(down, [this] {
      if (extender_ == nullptr) extender_ = std::make_unique<ExtenderInstance>(Given(), NextStream());
    });
  }
  if (operation.verb == Verb::kKillWebhook) {
    const size_t which = static_cast<size_t>(operation.target) % webhooks_.size();
    webhooks_[which].reset();
    return time_.After(down, [this, which] {
      if (webhooks_[which] == nullptr) StartWebhook(which);
    });
  }
  const size_t which = static_cast<size_t>(operation.target) % controllers_.size();
  controllers_[which].reset();
  time_.After(down, [this, which] {
    if (controllers_[which] == nullptr) StartController(which);
  });
  if (which == leader_)
    time_.After(kLease, [this, term = ++terms_] {
      if (term == terms_) Lead(1 - leader_);
    });
}

// Waits for the one that is to lead, if it is down.
void World::Lead(size_t which) {
  leader_ = which;
  if (controllers_[which] != nullptr) return controllers_[which]->Lead();
  time_.After(seconds(1), [this, which, term = terms_] {
    if (term == terms_) Lead(which);
  });
}

void World::ExecuteFault(const Operation& operation) {
  Note(Text(operation));
  const Duration lasts = seconds(operation.amount);
  const auto target = static_cast<size_t>(operation.target);
  if (operation.verb == Verb::kChangeLeader) {
    if (controllers_[leader_] != nullptr) controllers_[leader_]->StopLeading();
    return time_.After(std::min(lasts, kLease), [this, term = ++terms_] {
      if (term == terms_) Lead(1 - leader_);
    });
  }
  const bool of_controller = target % 3 == 0;
  WebhookInstance* webhook = webhooks_[target % webhooks_.size()].get();
  ControllerInstance* controller = controllers_[operation.flavour % 2 == 0 ? leader_ : 1 - leader_].get();
  if (operation.verb == Verb::kCutCalls) {
    if (of_controller && controller != nullptr) controller->line().CutUntil(time_.Monotonic() + lasts);
    if (!of_controller && webhook != nullptr) webhook->line().CutUntil(time_.Monotonic() + lasts);
    return;
  }
  const std::string_view kind = kAllKinds[static_cast<size_t>(operation.group) % std::size(kAllKinds)];
  if (of_controller && controller != nullptr) controller->watch(kind).Cut(lasts, operation.flavour < 2);
  if (!of_controller && webhook != nullptr) webhook->watch(kind).Cut(lasts, operation.flavour < 2);
}

void World::Heal() {
  call_faults_ = {};
  request_faults_ = {};
  for (size_t i = 0; i < webhooks_.size(); ++i) {
    if (webhooks_[i] == nullptr) StartWebhook(i);
    webhooks_[i]->line().Heal();
    for (const std::string_view kind : kAllKinds) webhooks_[i]->watch(kind).Heal();
  }
  for (size_t i = 0; i < controllers_.size(); ++i) {
    if (controllers_[i] == nullptr) StartController(i);
    controllers_[i]->line().Heal();
    for (const std::string_view kind : kAllKinds) controllers_[i]->watch(kind).Heal();
  }
  if (plan_.settings.extender && extender_ == nullptr) {
    extender_ = std::make_unique<ExtenderInstance>(Given(), NextStream());
  }
}

}  // namespace huygens::simulation
