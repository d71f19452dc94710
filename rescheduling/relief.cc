#include "rescheduling/relief.h"

#include <algorithm>
#include <numeric>

namespace huygens::rescheduling {

namespace {

constexpr size_t kMostAtOnce = 3;
// Of so many pods threes are looked for: those that take most away.
constexpr size_t kMostForThree = 24;
// Of the pods that clear a node alone so many are weighed, the smallest.
constexpr size_t kMostSingles = 8;
constexpr int64_t kCombination = 16;  // what a look at one costs, in looks at a slot

constexpr std::string_view kTooLarge = "pods that must not move are above the ceiling alone";
constexpr std::string_view kNoRoom = "no node stays below its ceiling with the pods that would have to leave";
constexpr std::string_view kRefused = "every node that would stay below its ceiling is refused by another check";

}  // namespace

void Relief::Begin(NodeIndex node, std::vector<std::shared_ptr<const Leaver>> movable) {
  node_ = node;
  movable_ = std::move(movable);
  choices_.clear();
  began_at_ = draft_.steps().size();
  cleared_ = searching_ = any_room_ = false;
  least_ = 0;
  why_not_ = {};
  clears_.clear();
  stage_ = Stage::kMeasure;
}

// What is too much, and what each pod takes of it.
void Relief::Measure() {
  const PlannedUse& use = draft_.use();
  excess_.clear();
  for (size_t r = 0; r < use.resources(); ++r) {
    const std::optional<int64_t> limit = use.Limit(node_, r);
    if (!limit || use.Peak(node_, r) <= *limit) continue;
    for (size_t s = 0; s < use.slots(); ++s) {
      const int64_t above = use.At(node_, r, s) - *limit;
      if (above > 0)
        excess_.push_back(
            {r, s, above, static_cast<double>(above) / static_cast<double>(std::max<int64_t>(*limit, 1))});
    }
  }
  if (excess_.empty()) return;
  std::ranges::stable_sort(excess_, std::greater<>(), &Excess::share);
  rank_by_ = excess_.front().resource;
  if (clears_.empty()) clears_ = Describe();

  std::vector<Choice> before = std::move(choices_);
  choices_.clear();
  singles_.clear();
  helpful_.clear();
  for (const auto& leaver : movable_) {
    Choice choice{.leaver = leaver};
    choice.clears = true;
    choice.size = leaver->here.peak(rank_by_);
    for (const Excess& each : excess_) {
      const int64_t takes = leaver->here.At(each.resource, each.slot);
      choice.takes.push_back(takes);
      choice.clears = choice.clears && takes >= each.amount;
      choice.takes_share +=
          each.share * static_cast<double>(std::min(takes, each.amount)) / static_cast<double>(each.amount);
    }
    if (choice.takes_share <= 0) continue;
    // Nodes only fill up: a target that did not change since is as good as before, and no target stays none.
    const auto known = std::ranges::find(before, leaver, &Choice::leaver);
    if (known != before.end() && known->searched && (!known->target || known->target->node != last_target_)) {
      choice.searched = true;
      choice.target = known->target;
    }
    const auto number = static_cast<uint32_t>(choices_.size());
    if (choice.clears) singles_.push_back(number);
    helpful_.push_back(number);
    choices_.push_back(std::move(choice));
  }
  const auto smaller = [&](uint32_t a, uint32_t b) { return choices_[a].size < choices_[b].size; };
  std::ranges::stable_sort(singles_, smaller);
  std::ranges::stable_sort(helpful_,
                           [&](uint32_t a, uint32_t b) { return choices_[a].takes_share > choices_[b].takes_share; });
}

// By the points with most excess.
size_t Relief::Least() const {
  constexpr size_t kPoints = 16;
  size_t least = singles_.empty() ? 2 : 1;
  std::vector<int64_t> takes;
  for (size_t e = 0; e < std::min(kPoints, excess_.size()); ++e) {
    takes.clear();
    for (const Choice& choice : choices_) takes.push_back(choice.takes[e]);
    std::ranges::sort(takes, std::greater<>());
    int64_t left = excess_[e].amount;
    size_t needed = 0;
    while (left > 0 && needed < takes.size()) left -= takes[needed++];
    least = std::max(least, needed);
  }
  return least;
}

double Relief::Height(const Choice& choice) const {
  const PlannedUse& use = draft_.use();
  int64_t source = 0;
  for (size_t s = 0; s < use.slots(); ++s) {
    source = std::max(source, use.At(node_, rank_by_, s) - choice.leaver->here.At(rank_by_, s));
  }
  const auto share = [&](int64_t peak, NodeIndex node) {
    return static_cast<double>(peak) /
           static_cast<double>(std::max<int64_t>(1, use.Limit(node, rank_by_).value_or(use.Capacity(node, rank_by_))));
  };
  return std::max(share(source, node_),
                  share(use.PeakWith(choice.target->node, rank_by_, choice.leaver->there), choice.target->node));
}

std::string Relief::Describe() const {
  const auto same = static_cast<size_t>(std::ranges::count(excess_, rank_by_, &Excess::resource));
  return Concat(draft_.use().options().resources[rank_by_].name, " above the ceiling in ", std::to_string(same), " of ",
                std::to_string(draft_.use().slots()), " slots of the week");
}

bool Relief::Clears(const std::vector<uint32_t>& choices) const {
  for (size_t e = 0; e < excess_.size(); ++e) {
    int64_t takes = 0;
    for (uint32_t each : choices) takes += choices_[each].takes[e];
    if (takes < excess_[e].amount) return false;
  }
  return true;
}

// True: a choice is being searched for, and there may be more to do.
bool Relief::SearchNext(uint32_t number, int64_t& budget, Time now) {
  Choice& choice = choices_[number];
  if (!searching_) {
    search_.Begin({.pod = choice.leaver->pod,
                   .stand_in = choice.leaver->stand_in,
                   .load = &choice.leaver->there,
                   .source = node_,
                   .rank_by = rank_by_,
                   .comfort = comfort_,
                   .source_is_hot = true},
                  orders_[rank_by_]);
    searching_ = true;
  }
  if (search_.Advance(budget, now)) return true;
  searching_ = false;
  choice.searched = true;
  choice.target = search_.found();
  any_room_ = any_room_ || search_.any_room();
  return false;
}

void Relief::Take(uint32_t number) {
  const Choice& choice = choices_[number];
  last_target_ = choice.target->node;
  draft_.Add(choice.leaver, choice.target->node, Cause::kCeiling, clears_);
}

void Relief::ListCombinations() {
  together_.clear();
  next_ = 0;
  std::vector<uint32_t> able;
  for (uint32_t number : helpful_) {
    if (choices_[number].target) able.push_back(number);
  }
  if (of_ == kMostAtOnce && able.size() > kMostForThree) able.resize(kMostForThree);
  for (size_t a = 0; a < able.size(); ++a) {
    for (size_t b = a + 1; b < able.size(); ++b) {
      const int64_t pair = choices_[able[a]].size + choices_[able[b]].size;
      if (of_ == 2) {
        together_.push_back({{able[a], able[b]}, pair});
        continue;
      }
      for (size_t c = b + 1; c < able.size(); ++c) {
        together_.push_back({{able[a], able[b], able[c]}, pair + choices_[able[c]].size});
      }
    }
  }
  std::ranges::stable_sort(together_, {}, &Together::size);
}

// Puts the pods of the combination into the draft one after the other: where an earlier one took the target of a later
// one, that is searched for anew. False: it was given up or is complete (`tried_`).
bool Relief::TryCombination(int64_t& budget, Time now) {
  const std::vector<uint32_t>& choices = together_[next_].choices;
  while (tried_ < choices.size()) {
    Choice& choice = choices_[choices[tried_]];
    bool taken = searching_;
    for (size_t i = 0; i < tried_; ++i) taken = taken || choices_[choices[i]].target->node == choice.target->node;
    if (taken) {
      const std::optional<Target> alone = choice.target;
      if (SearchNext(choices[tried_], budget, now)) return true;
      const std::optional<Target> beside = std::exchange(choice.target, alone);
      if (!beside) {
        while (tried_ > 0) draft_.TakeBack(), --tried_;
        return false;
      }
      draft_.Add(choice.leaver, beside->node, Cause::kCeiling, clears_);
    } else {
      Take(choices[tried_]);
    }
    ++tried_;
  }
  return false;
}

void Relief::Fail(std::string_view why) {
  while (draft_.steps().size() > began_at_) draft_.TakeBack();
  why_not_ = why;
  stage_ = Stage::kDone;
}

bool Relief::Advance(int64_t& budget, Time now) {
  while (stage_ != Stage::kDone && budget > 0) Do(budget, now);
  return stage_ != Stage::kDone;
}

void Relief::Do(int64_t& budget, Time now) {
  switch (stage_) {
    case Stage::kMeasure: {
      budget -= static_cast<int64_t>(draft_.use().slots() * (movable_.size() + 1));
      Measure();
      cleared_ = excess_.empty();
      std::vector<uint32_t> all(choices_.size());
      std::iota(all.begin(), all.end(), 0);
      if (!cleared_ && least_ == 0) least_ = Least();
      best_.reset();
      if (cleared_) {
        stage_ = Stage::kDone;
      } else if (!Clears(all)) {
        Fail(kTooLarge);
      } else {
        next_ = 0;
        stage_ = Stage::kSingles;
      }
      return;
    }
    case Stage::kSingles: {
      if (best_ && next_ >= std::min(singles_.size(), kMostSingles)) {
        Take(*best_);
        std::erase(movable_, choices_[*best_].leaver);
        stage_ = Stage::kMeasure;
        return;
      }
      if (next_ == singles_.size()) {
        next_ = 0;
        stage_ = Stage::kTargets;
        return;
      }
      const uint32_t number = singles_[next_];
      Choice& choice = choices_[number];
      if (!choice.searched && SearchNext(number, budget, now)) return;
      ++next_;
      budget -= static_cast<int64_t>(draft_.use().slots()) * 2;
      if (!choice.target) return;
      const double height = Height(choice);
      if (!best_ || height < height_) {
        best_ = number;
        height_ = height;
      }
      if (height_ * usage::kMillion <= static_cast<double>(comfortable_)) next_ = singles_.size();
      return;
    }
    case Stage::kTargets: {
      if (next_ == helpful_.size()) {
        of_ = 1;
        next_ = 0;
        together_.clear();
        stage_ = Stage::kCombine;
        return;
      }
      if (!choices_[helpful_[next_]].searched && SearchNext(helpful_[next_], budget, now)) return;
      ++next_;
      return;
    }
    case Stage::kCombine: {
      if (next_ < together_.size()) {
        budget -= kCombination;
        if (Clears(together_[next_].choices)) {
          tried_ = 0;
          stage_ = Stage::kTry;
        } else {
          ++next_;
        }
        return;
      }
      std::vector<uint32_t> able;
      std::ranges::copy_if(helpful_, std::back_inserter(able),
                           [&](uint32_t each) { return bool(choices_[each].target); });
      if (of_ == 1 && !Clears(able)) return Fail(any_room_ && able.empty() ? kRefused : kNoRoom);
      if (of_ == kMostAtOnce) {
        stage_ = Stage::kMost;
        return;
      }
      ++of_;
      budget -= static_cast<int64_t>(able.size() * able.size());
      ListCombinations();
      return;
    }
    case Stage::kTry: {
      const bool more = TryCombination(budget, now);
      if (more) return;
      if (tried_ == 0) {
        ++next_;
        stage_ = Stage::kCombine;
        return;
      }
      cleared_ = true;
      stage_ = Stage::kDone;
      return;
    }
    case Stage::kMost: {
      for (uint32_t number : helpful_) {
        if (!choices_[number].target) continue;
        Take(number);
        std::erase(movable_, choices_[number].leaver);
        stage_ = Stage::kMeasure;
        return;
      }
      return Fail(kNoRoom);
    }
    case Stage::kDone:
      return;
  }
}

}  // namespace huygens::rescheduling
