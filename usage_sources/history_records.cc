#include "usage_sources/history_records.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <chrono>

namespace huygens::usage_sources {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxName = 1024;  // 256 workloads and 256 nodes fit a record

void AppendFixed32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

void AppendText(std::string& out, std::string_view text) {
  AppendVarint(out, text.size());
  out += text;
}

bool Writable(const usage::Reading& reading) {
  return reading.amount >= 0 && !reading.subject.empty() && reading.subject.size() <= kMaxName;
}

// Takes a payload apart; once something is missing every further step fails, too.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    ok_ = false;
    return 0;
  }
  // One that fits a positive int64_t.
  int64_t Amount() {
    const uint64_t value = Varint();
    if (value > static_cast<uint64_t>(INT64_MAX)) ok_ = false;
    return ok_ ? static_cast<int64_t>(value) : 0;
  }
  std::string Text() {
    const uint64_t size = Varint();
    if (size > kMaxName || size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  void Fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::vector<usage::Reading> ReadSide(Bytes& in, std::vector<std::string>& names) {
  std::vector<usage::Reading> side;
  for (uint64_t left = in.Varint(); left > 0 && in.ok(); --left) {
    const uint64_t place = in.Varint();
    if (place == 0) names.push_back(in.Text());
    if (place > names.size()) in.Fail();
    if (in.ok()) side.push_back({place == 0 ? names.back() : names[place - 1], in.Amount()});
  }
  return side;
}

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

uint32_t ReadFixed32(std::string_view four_bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<uint8_t>(four_bytes[i])) << (8 * i);
  return value;
}

std::string HistoryHeader(Duration slot) {
  return Concat(kHistoryFormat, "slot=", std::to_string(std::chrono::duration_cast<milliseconds>(slot).count()),
                "ms\n");
}

StatusOr<size_t> CheckHistoryHeader(std::string_view start, Duration slot) {
  const std::string wanted = HistoryHeader(slot);
  if (start.starts_with(wanted)) return wanted.size();
  const std::string_view line = start.substr(0, start.find('\n'));
  const std::string_view format = kHistoryFormat.substr(0, kHistoryFormat.find(' '));
  if (!line.starts_with(format) || line.size() == start.size()) return Invalid("not a usage history");
  if (!line.starts_with(kHistoryFormat)) return Invalid("a usage history of another version of huygens");
  return Invalid(Concat("a usage history with ", line.substr(kHistoryFormat.size()), ", while usage.slot is ",
                        wanted.substr(kHistoryFormat.size() + 5, wanted.size() - kHistoryFormat.size() - 6)));
}

void HistoryWriter::Append(std::string& out, std::string_view resource, const usage::Readings& readings) {
  if (readings.slot < 0 || readings.measured < Time() || resource.size() > kMaxName) return;
  const size_t begin = out.size();
  out.append(kRecordHead, '\0');
  AppendVarint(out, static_cast<uint64_t>(readings.slot));
  AppendVarint(out,
               static_cast<uint64_t>(std::chrono::floor<milliseconds>(readings.measured.time_since_epoch()).count()));
  AppendText(out, resource);
  AppendSide(out, readings.workloads);
  AppendSide(out, readings.nodes);
  const std::string_view payload = std::string_view(out).substr(begin + kRecordHead);
  std::string head;
  AppendFixed32(head, static_cast<uint32_t>(payload.size()));
  AppendFixed32(head, Crc32(payload));
  out.replace(begin, kRecordHead, head);
}

void HistoryWriter::AppendSide(std::string& out, const std::vector<usage::Reading>& side) {
  AppendVarint(out, static_cast<uint64_t>(std::count_if(side.begin(), side.end(), Writable)));
  for (const usage::Reading& reading : side) {
    if (!Writable(reading)) continue;
    const auto [known, fresh] = places_.try_emplace(reading.subject, places_.size() + 1);
    AppendVarint(out, fresh ? 0 : known->second);
    if (fresh) {
      AppendText(out, reading.subject);
      fresh_.push_back(reading.subject);
    }
    AppendVarint(out, static_cast<uint64_t>(reading.amount));
  }
}

void HistoryWriter::Undo() {
  for (const std::string& name : fresh_) places_.erase(name);
  fresh_.clear();
}

void HistoryWriter::Know(std::string_view name) { places_.try_emplace(name, places_.size() + 1); }

std::optional<HistoryRecord> HistoryReader::Read(std::string_view payload) {
  const size_t known = names_.size();
  Bytes in(payload);
  HistoryRecord record;
  record.readings.slot = in.Amount();
  record.readings.measured = Time(milliseconds(std::min<int64_t>(in.Amount(), INT64_MAX / 1'000'000)));
  record.resource = in.Text();
  record.readings.workloads = ReadSide(in, names_);
  record.readings.nodes = ReadSide(in, names_);
  if (in.AtEnd()) return record;
  names_.resize(known);
  return std::nullopt;
}

}  // namespace huygens::usage_sources
