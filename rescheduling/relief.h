// Which pods should leave one node that is above its ceilings, and where to: the fewest that clear every slot of the
// week. Of the pods that do it alone the smallest after whose move both its node and its target are comfortable, or that
// after whose move they are lowest, so that neither is soon too hot again; else the smallest pair; else three; else the
// pod that takes most away leaves, and the rest is asked the same again. In steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rescheduling/draft.h"

namespace huygens::rescheduling {

class Relief {
 public:
  // All must outlive it.
  Relief(placement::Placement& placement, const Facts& facts, Draft& draft, std::vector<NodesByShare>& orders,
         const int64_t& comfort, int64_t comfortable)
      : draft_(draft),
        orders_(orders),
        comfort_(comfort),
        comfortable_(comfortable),
        search_(placement, facts, draft.use(), draft.planned()) {}

  // `movable`: the pods of the node that may leave.
  void Begin(NodeIndex node, std::vector<std::shared_ptr<const Leaver>> movable);
  // True: there may be more to do. Moves are added to the draft.
  bool Advance(int64_t& budget, Time now);
  // Once Advance has said false: whether no slot is above its ceiling any more; if not, the draft is as it was.
  bool cleared() const { return cleared_; }
  // So many pods at least had to leave, whatever targets there are.
  size_t least() const { return least_; }
  // A fixed text, if not.
  std::string_view why_not() const { return why_not_; }

 private:
  struct Excess {
    size_t resource, slot;
    int64_t amount;
    double share;  // of the ceiling
  };
  struct Choice {
    std::shared_ptr<const Leaver> leaver;
    std::vector<int64_t> takes{};  // by position in excess_
    bool clears = false;           // alone
    int64_t size = 0;              // its peak of what is most above
    double takes_share = 0;        // of all the excess
    bool searched = false;
    std::optional<Target> target{};
  };
  struct Together {
    std::vector<uint32_t> choices;
    int64_t size = 0;
  };
  enum class Stage : uint8_t {
    kMeasure,  // what is too much now
    kSingles,  // targets for pods that clear it alone
    kTargets,  // ... for all that help
    kCombine,  // two, then three of them
    kTry,      // one combination, whose targets may be in each other's way
    kMost,     // who takes most away leaves
    kDone,
  };

  void Do(int64_t& budget, Time now);
  void Measure();
  size_t Least() const;
  // The highest share of its ceiling that the source or the target would be at.
  double Height(const Choice& choice) const;
  std::string Describe() const;
  bool Clears(const std::vector<uint32_t>& choices) const;
  bool SearchNext(uint32_t number, int64_t& budget, Time now);
  void Take(uint32_t number);
  void ListCombinations();
  bool TryCombination(int64_t& budget, Time now);
  void Fail(std::string_view why);

  Draft& draft_;
  std::vector<NodesByShare>& orders_;
  const int64_t& comfort_;     // TargetWanted
  const int64_t comfortable_;  // PlannerOptions
  TargetSearch search_;
  Stage stage_ = Stage::kDone;
  NodeIndex node_ = 0;
  std::vector<std::shared_ptr<const Leaver>> movable_;
  std::vector<Excess> excess_;  // largest share of the ceiling first: there most combinations fail
  size_t rank_by_ = 0;          // resource
  std::string clears_;
  std::vector<Choice> choices_;
  std::vector<uint32_t> singles_, helpful_;  // smallest first; who takes most first
  std::vector<Together> together_;           // smallest first
  size_t of_ = 0;                            // how many at once are tried
  size_t next_ = 0;                          // in what the stage goes through
  size_t tried_ = 0;                         // so many of the combination are in the draft
  bool searching_ = false;
  NodeIndex last_target_ = 0;
  size_t began_at_ = 0;  // steps of the draft
  size_t least_ = 0;
  std::optional<uint32_t> best_;  // of singles_
  double height_ = 0;             // of that
  bool any_room_ = false;
  bool cleared_ = false;
  std::string_view why_not_;
};

}  // namespace huygens::rescheduling
