// The bytes of the embedded history (usage_sources/history_file.h), without the file. A text line names format and slot
// length:
//
//   huygens-usage-history 1 slot=900000ms
//
// then records follow: length and CRC-32 of the payload (4 bytes each, lowest byte first), payload. A payload is one
// usage::Readings: slot, time of the newest sample in milliseconds, name of the resource, then workloads and nodes,
// each a count and so many pairs of subject and amount. Numbers are varints (7 bits a byte, lowest first, the high bit
// says that more follow). A subject is 0 and its name where it comes for the first time in the file, else its place in
// the order of such names, from 1: so a record can be read only after all before it.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "usage/readings.h"

namespace huygens::usage_sources {

inline constexpr size_t kRecordHead = 8;               // length and CRC
inline constexpr size_t kMaxRecord = size_t{1} << 20;  // of a payload; what is longer was not written by huygens
inline constexpr size_t kMaxHistoryHeader = 80;        // with its line break
inline constexpr std::string_view kHistoryFormat = "huygens-usage-history 1 ";

std::string HistoryHeader(Duration slot);
// Length of the header that `start`, the first bytes of a file, begins with. Refuses, saying why, what was written by
// another version or for slots of another length, or is something else.
StatusOr<size_t> CheckHistoryHeader(std::string_view start, Duration slot);

// What a record says; the resource is named, since its position may change between two runs.
struct HistoryRecord {
  std::string resource;
  usage::Readings readings;  // `resource` is not set
};

class HistoryWriter {
 public:
  // Appends one record to `out`. Readings that cannot be written (a name of more than 1 KiB, a negative amount or slot)
  // are left out.
  void Append(std::string& out, std::string_view resource, const usage::Readings& readings);
  // Forgets the names that came since the last Keep, because what was appended did not reach the disk.
  void Undo();
  void Keep() { fresh_.clear(); }
  // A name that the file holds already, in the order of the file.
  void Know(std::string_view name);

 private:
  void AppendSide(std::string& out, const std::vector<usage::Reading>& side);

  TextMap<uint64_t> places_;
  std::vector<std::string> fresh_;
};

class HistoryReader {
 public:
  // One payload whose CRC was right. Nothing where it was not written by HistoryWriter after all: then the file ends
  // before it.
  std::optional<HistoryRecord> Read(std::string_view payload);
  // In the order of the file; each that Read added comes last.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

uint32_t Crc32(std::string_view bytes);
// Length or CRC in a record's head.
uint32_t ReadFixed32(std::string_view four_bytes);

}  // namespace huygens::usage_sources
