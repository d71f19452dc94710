// The embedded history on disk: closed slots, appended as they close, in one file (format:
// usage_sources/history_records.h).
//
//  - A slot is on disk (fdatasync) when Append returns. A crash loses the slot that was open, no more; what it left
//    half written is cut off at the next start.
//  - The file holds two windows at most: then what is older than one is dropped, by writing a new file beside it and
//    renaming. So is what a clock that has gone back wrote down, once that is usage::WentBack.
//  - A second process that opens it is refused, as is a file of another format or slot length; it stays as it was.
//  - When the disk fails, Append says so and the file keeps what it had; the next slot tries again.
//
// Blocking; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "usage/options.h"
#include "usage_sources/history_records.h"
#include "usage_sources/source.h"

namespace huygens::usage_sources {

class HistoryFile {
 public:
  // Opens or makes the file and locks it for as long as this object lives. Errors name the file and what to do.
  static StatusOr<std::unique_ptr<HistoryFile>> Open(std::string path, const usage::Options& usage);
  ~HistoryFile();
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

  struct Restored {
    uint64_t cut_off = 0;          // bytes at the end that were no records
    std::optional<Time> measured;  // the newest sample
  };
  // Delivers what the file holds from usage::OldestSlot to the slot of `now`, ascending by slot. Once, before the
  // first Append.
  StatusOr<Restored> Replay(Time now, const Deliver& deliver);
  // Adds readings of a slot that is not older than those before, unless the clock went back. On an error the file is as
  // it was.
  Status Append(std::span<const usage::Readings> readings);
  // Why the last Append, which may have worked, could not drop what is too old; the next one tries again.
  const Status& compacted() const { return compacted_; }

 private:
  class Descriptor;
  HistoryFile(std::string path, const usage::Options& usage);

  // Calls `take` for each record; `end` is set behind the last good one.
  Status ForEach(const std::function<void(HistoryRecord)>& take, uint64_t& end) const;
  // Gives the resource its position; false where it is not configured any more, or the slot is not in [first, last].
  bool Wanted(HistoryRecord& record, int64_t first, int64_t last) const;
  Status Compact(int64_t newest);
  Status Write(Descriptor& file, std::string_view bytes, uint64_t at) const;
  Status Sync(Descriptor& file) const;
  // So that the file bears its name after a crash.
  static Status SyncFolderOf(const std::string& path);

  const std::string path_;
  const usage::Options usage_;
  std::unique_ptr<Descriptor> file_;
  uint64_t header_ = 0;                // bytes
  uint64_t end_ = 0;                   // behind the last good record
  std::optional<int64_t> first_slot_;  // of the records
  Status compacted_;
  HistoryWriter writer_;
};

}  // namespace huygens::usage_sources
