// What was measured of each subject (a workload, or a node beyond its pods): one curve per resource. A subject that
// nobody uses is dropped once it has had no reading for a window (a pod without an owner, and one whose owner runs
// once, that ran for less than a day: for a day). No more subjects than `most` have readings: where one more comes, the
// one that nobody uses and that was measured longest ago gives way, and while all are used the new one has no history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/text.h"
#include "base/time.h"
#include "usage/curve.h"

namespace huygens::usage {

struct History {
  struct Measured {
    Curve curve;
    Time last = Time::min();  // of the newest sample
  };
  absl::InlinedVector<Measured, 2> resources;
  size_t users = 0;
};

class Histories {
 public:
  // `run_once`: kinds of owners of which nobody inherits.
  Histories(size_t resources, size_t slots, size_t most, std::vector<std::string> run_once);

  // The history of `subject`, new or known; it stays where it is until Release.
  History& Use(std::string_view subject);
  void Release(std::string_view subject);
  const History* Find(std::string_view subject) const;

  // Takes in one reading; says whether it changed a value. A `last` of before that is later than `latest` was of a
  // wrong clock.
  bool Set(std::string_view subject, size_t resource, int64_t slot, int64_t amount, Time last, Time latest);
  // Forgets what has been out of the window; looks about seven times a window.
  void DropOld();

  size_t measured() const { return measured_; }  // subjects with readings
  // How often one that nobody used gave way, or a reading of one more was not taken.
  uint64_t displaced() const { return displaced_; }

 private:
  History& At(std::string_view subject);
  // Drops what nobody uses and was measured longest ago; false if there is nothing.
  bool MakeRoom();
  bool RanOnce(std::string_view subject) const;

  size_t slots_;
  size_t most_;
  std::vector<std::string> run_once_;
  uint64_t displaced_ = 0;
  bool full_ = false;            // of subjects in use, when MakeRoom last looked
  std::vector<int64_t> newest_;  // slot, by resource
  int64_t looked_ = INT64_MIN;   // newest slot when DropOld last looked
  size_t measured_ = 0;
  TextMap<std::unique_ptr<History>> subjects_;
};

}  // namespace huygens::usage
