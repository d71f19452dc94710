// Whether the watches of whoever begins to lead have told of all that was stored when it began. The last leader gave up
// charges for objects that it had seen; who counts with less than it knew would count too little, and more would be
// admitted than there is. So each kind is asked for the resource version at which it stands, by a consistent read, and
// its watch must come as far: how client-go's caches make sure that a read is not older than a write. Owned by one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::reconcile {

class FreshStart {
 public:
  struct Kind {
    std::string name;  // for the operator
    // Asks the API server at which version the kind stands now; 0: it has none of the kind. An error is asked again.
    using Answer = std::function<void(StatusOr<uint64_t> version)>;
    std::function<void(Answer answer)> ask;
    // informer::WatchedKind.
    std::function<uint64_t()> seen;
    std::function<void(uint64_t version)> catch_up;
  };

  // Nothing is behind until Begin. Nobody answers an `ask` when this is gone.
  explicit FreshStart(std::vector<Kind> kinds);

  // This instance leads from now on.
  void Begin();
  // It leads no more: nothing is behind.
  void End();
  // Asks what is due. Called again and again while something is behind. `now`: by a clock that nobody sets.
  void Look(Duration now);
  // What is waited for, in words; empty: nothing.
  std::string Behind() const;

 private:
  struct Progress {
    const Kind kind;
    std::optional<Duration> asked;  // when last
    // Of several answers the least: each was given after the term had begun.
    std::optional<uint64_t> goal;
    std::string trouble;  // why it could not be asked the last time

    bool behind() const { return !goal || kind.seen() < *goal; }
  };

  void Answered(Progress& progress, const StatusOr<uint64_t>& version);

  std::vector<Progress> kinds_;
  bool begun_ = false;
  uint64_t term_ = 0;  // answers to an earlier one are for nobody
};

}  // namespace huygens::reconcile
