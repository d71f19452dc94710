// All states that small machines can be in, and all steps from each: none makes two share what one of them owns, there is
// always one until all is as it should be, and no order of them goes in a circle. A failed write, a lost one, an agent
// that is killed between any two, and somebody else's write all lead to a state that is looked at here, too.
#include <gtest/gtest.h>

#include <algorithm>

#include "pinning/steps.h"
#include "tests/pinning/steps_rules.h"

namespace huygens::pinning {
namespace {

using testing::Box;

CpuSet SetOfBits(unsigned bits) {
  CpuSet set;
  for (size_t cpu = 0; bits >> cpu != 0; ++cpu) {
    if ((bits >> cpu & 1) != 0) set.Add(cpu);
  }
  return set;
}

unsigned BitsOf(const CpuSet& set) {
  unsigned bits = 0;
  set.ForEach([&](size_t cpu) { bits |= 1U << cpu; });
  return bits;
}

struct Wanted {
  Pool pool;
  unsigned target;
};

class Machine {
 public:
  Machine(unsigned cpus, unsigned shared, std::vector<Wanted> wanted) : all_((1U << cpus) - 1), newcomer_(1U << cpus) {
    ground_ = {.shared = SetOfBits(shared), .usable = SetOfBits(all_)};
    for (size_t i = 0; i < wanted.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      boxes_.push_back(
          {{.id = name, .owner = name, .pool = wanted[i].pool, .target = SetOfBits(wanted[i].target)}, {}});
    }
  }

  // States are numbers: for each container its set, or `newcomer_`, the least first.
  void LookAtAll() {
    size_t states = 1;
    for (size_t i = 0; i < boxes_.size(); ++i) states *= newcomer_ + 1;
    done_.assign(states, 0);
    for (size_t state = 0; state < states; ++state) {
      if (Set(state)) Follow(state);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  bool Set(size_t state) {
    for (Box& each : boxes_) {
      const auto bits = static_cast<unsigned>(state % (newcomer_ + 1));
      state /= newcomer_ + 1;
      if (bits == 0) return false;
      each.facts.newcomer = bits == newcomer_;
      each.kernel = SetOfBits(each.facts.newcomer ? all_ : bits);
    }
    return true;
  }
  size_t Number() const {
    size_t state = 0;
    for (size_t i = boxes_.size(); i-- > 0;) {
      state = state * (newcomer_ + 1) + (boxes_[i].facts.newcomer ? newcomer_ : BitsOf(boxes_[i].kernel));
    }
    return state;
  }

  enum : char { kNew, kOpen, kDone };

  // Along every step, and every step after it.
  void Follow(size_t state) {
    if (done_[state] == kDone) return;
    ASSERT_NE(done_[state], kOpen) << "in a circle: " << testing::Picture(boxes_);
    done_[state] = kOpen;
    Set(state);
    const std::vector<Step> steps = StepsNow(testing::HoldersOf(boxes_), ground_);
    if (steps.empty()) {
      ASSERT_TRUE(std::ranges::all_of(boxes_, testing::IsThere)) << "at an end: " << testing::Picture(boxes_);
    }
    std::vector<size_t> next;
    for (const Step& step : steps) {
      const auto who = static_cast<size_t>(step.id.front() - 'a');
      const std::string fault = testing::Fault(boxes_, ground_, who, step.to);
      ASSERT_EQ(fault, "") << step.id << " to " << ListOf(step.to) << ": " << testing::Picture(boxes_);
      // Together with what all others of these steps write.
      std::vector<Box> meanwhile = boxes_;
      for (const Step& other : steps) {
        if (&other == &step) continue;
        Box& box = meanwhile[static_cast<size_t>(other.id.front() - 'a')];
        box.kernel = box.facts.newcomer ? other.to : box.kernel | other.to;
        box.facts.newcomer = false;
      }
      const CpuSet coming = boxes_[who].facts.newcomer ? step.to : step.to - boxes_[who].kernel;
      for (size_t i = 0; steps.size() > 1 && i < meanwhile.size(); ++i) {
        if (i == who || !testing::Excluding(meanwhile[i], meanwhile[who]) || boxes_[i].facts.newcomer) continue;
        // A newcomer that owns nothing yet is one of those who share; and so is who is where others must be.
        const auto guest = [&](size_t one, size_t other) {
          const bool aside = boxes_[one].facts.newcomer || boxes_[other].facts.target.Count() == 1;
          return IsOwner(boxes_[one].facts.pool) && !IsOwner(boxes_[other].facts.pool) && aside &&
                 !Meet(meanwhile[one].kernel, boxes_[one].facts.target);
        };
        meanwhile[who].kernel = step.to;
        if (guest(who, i) || guest(i, who)) continue;
        const CpuSet both = coming & (meanwhile[i].kernel - boxes_[i].kernel);
        ASSERT_TRUE(both.empty()) << step.id << " to " << ListOf(step.to)
                                  << " while others are written: " << testing::Picture(boxes_);
      }
      Box& box = boxes_[who];
      const Box before = box;
      box.kernel = step.to;
      box.facts.newcomer = false;
      next.push_back(Number());
      box = before;
    }
    for (const size_t each : next) {
      Follow(each);
      if (::testing::Test::HasFailure()) return;
    }
    done_[state] = kDone;
  }

  const unsigned all_, newcomer_;
  Ground ground_;
  std::vector<Box> boxes_;
  std::vector<char> done_;
};

constexpr Pool kE = Pool::kExclusive, kM = Pool::kImmovable, kN = Pool::kNuma, kS = Pool::kShared;

TEST(StepsOnSmallMachines, TwoOwnersOnThreeCpus) {
  Machine(3, 0b001, {{kE, 0b010}, {kE, 0b100}, {kS, 0b001}}).LookAtAll();
  Machine(3, 0b101, {{kE, 0b010}, {kM, 0b100}, {kS, 0b101}}).LookAtAll();
  Machine(3, 0b111, {{kM, 0b010}, {kM, 0b100}, {kS, 0b111}}).LookAtAll();
  Machine(3, 0b110, {{kM, 0b010}, {kM, 0b100}, {kE, 0b001}}).LookAtAll();
  Machine(3, 0b011, {{kE, 0b100}, {kS, 0b011}, {kS, 0b010}}).LookAtAll();
}

TEST(StepsOnSmallMachines, TwoCpus) {
  Machine(2, 0b01, {{kE, 0b10}, {kS, 0b01}, {kS, 0b01}, {kN, 0b01}}).LookAtAll();
  Machine(2, 0b01, {{kM, 0b01}, {kE, 0b10}, {kS, 0b01}}).LookAtAll();
  Machine(2, 0b11, {{kM, 0b01}, {kM, 0b10}, {kS, 0b11}}).LookAtAll();
}

TEST(StepsOnSmallMachines, ThreeOwnersOnFourCpus) {
  Machine(4, 0b0001, {{kE, 0b0010}, {kE, 0b0100}, {kE, 0b1000}, {kS, 0b0001}}).LookAtAll();
  Machine(4, 0b1001, {{kE, 0b0010}, {kE, 0b0100}, {kM, 0b1000}, {kS, 0b1001}}).LookAtAll();
  Machine(4, 0b1101, {{kE, 0b0010}, {kM, 0b0100}, {kM, 0b1000}, {kS, 0b1101}}).LookAtAll();
}

TEST(StepsOnSmallMachines, LargerSetsOnFourCpus) {
  Machine(4, 0b0001, {{kE, 0b0110}, {kE, 0b1000}, {kS, 0b0001}}).LookAtAll();
  Machine(4, 0b0011, {{kE, 0b0100}, {kE, 0b1000}, {kS, 0b0011}, {kN, 0b0010}}).LookAtAll();
  Machine(4, 0b1011, {{kE, 0b0100}, {kM, 0b1010}, {kS, 0b1011}}).LookAtAll();
}

// An isolating pod keeps CPU 3 for itself, idle.
TEST(StepsOnSmallMachines, AnIdleCpu) { Machine(4, 0b0001, {{kE, 0b0010}, {kE, 0b0100}, {kS, 0b0001}}).LookAtAll(); }

}  // namespace
}  // namespace huygens::pinning
