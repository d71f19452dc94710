#include "reconcile/fresh_start.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace huygens::reconcile {
namespace {

// Until a kind that is behind is asked for again.
constexpr Duration kAskAgain = std::chrono::seconds(2);
constexpr int kMostNames = 3;

}  // namespace

FreshStart::FreshStart(std::vector<Kind> kinds) {
  for (Kind& each : kinds) kinds_.push_back({.kind = std::move(each)});
}

void FreshStart::Begin() {
  End();
  begun_ = true;
}

void FreshStart::End() {
  begun_ = false;
  ++term_;
  for (Progress& each : kinds_) {
    each.asked.reset();
    each.goal.reset();
    each.trouble.clear();
  }
}

void FreshStart::Look(Duration now) {
  if (!begun_) return;
  for (Progress& each : kinds_) {
    if (!each.behind() || (each.asked && now - *each.asked < kAskAgain)) continue;
    each.asked = now;
    each.kind.ask([this, &each, term = term_](const StatusOr<uint64_t>& version) {
      if (term == term_) Answered(each, version);
    });
  }
}

void FreshStart::Answered(Progress& progress, const StatusOr<uint64_t>& version) {
  if (!version.ok()) {
    progress.trouble = Message(version.status());
    return;
  }
  progress.trouble.clear();
  progress.goal = std::min(progress.goal.value_or(*version), *version);
  if (progress.behind()) progress.kind.catch_up(*progress.goal);
}

std::string FreshStart::Behind() const {
  std::string names, trouble;
  int behind = 0;
  if (!begun_) return {};
  for (const Progress& each : kinds_) {
    if (!each.behind()) continue;
    if (++behind <= kMostNames) names += Concat(names.empty() ? "" : ", ", each.kind.name);
    if (trouble.empty()) trouble = each.trouble;
  }
  if (behind == 0) return {};
  if (behind > kMostNames) names += Concat(" and ", std::to_string(behind - kMostNames), " more");
  return Concat("waiting for the watches of what was stored when this instance began to lead: ", names,
                trouble.empty() ? "" : Concat(" (", trouble, ")"));
}

}  // namespace huygens::reconcile
