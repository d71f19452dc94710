#include "usage_sources/history_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "usage/curve.h"

namespace huygens::usage_sources {

class HistoryFile::Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : value_(::open(path.c_str(), flags | O_CLOEXEC, 0640)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

namespace {

Status SystemError(const std::string& path) {
  return Unavailable(Concat(path, ": ", std::generic_category().message(errno)));
}

// Up to `size` bytes; fewer at the end of the file.
StatusOr<std::string> ReadAt(int file, const std::string& path, uint64_t at, size_t size) {
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(file, bytes.data() + have, size - have, static_cast<off_t>(at + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

// Whether `path` still names the file that is open: another process may have put a new one there before we had the
// lock.
bool IsFileAt(int file, const std::string& path) {
  struct stat open_file{};
  struct stat named{};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 && open_file.st_ino == named.st_ino &&
         open_file.st_dev == named.st_dev;
}

}  // namespace

Status HistoryFile::SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  const Descriptor file(folder, O_RDONLY | O_DIRECTORY);
  // One may be allowed to write there, and not to read.
  if (file.value() < 0) return errno == EACCES ? absl::OkStatus() : SystemError(folder);
  // Some file systems have no such call for folders.
  return ::fsync(file.value()) == 0 || errno == EINVAL || errno == ENOTSUP ? absl::OkStatus() : SystemError(folder);
}

HistoryFile::HistoryFile(std::string path, const usage::Options& usage) : path_(std::move(path)), usage_(usage) {}
HistoryFile::~HistoryFile() = default;

StatusOr<std::unique_ptr<HistoryFile>> HistoryFile::Open(std::string path, const usage::Options& usage) {
  std::unique_ptr<HistoryFile> history(new HistoryFile(std::move(path), usage));
  const std::string& name = history->path_;
  do {
    history->file_ = std::make_unique<Descriptor>(name, O_RDWR | O_CREAT);
    if (history->file_->value() < 0) return SystemError(name);
    if (::flock(history->file_->value(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return SystemError(name);
      return Refused(
          Concat(name, ": another huygens keeps its history there; each needs a usage.historyFile of its own"));
    }
  } while (!IsFileAt(history->file_->value(), name));

  const std::string header = HistoryHeader(usage.slot);
  HUYGENS_ASSIGN_OR_RETURN(const std::string start, ReadAt(history->file_->value(), name, 0, kMaxHistoryHeader));
  // A crash in the first moment of a file's life leaves a part of the header.
  if (header.starts_with(start)) {
    HUYGENS_RETURN_IF_ERROR(history->Write(*history->file_, header, 0));
    HUYGENS_RETURN_IF_ERROR(SyncFolderOf(name));
    history->header_ = header.size();
  } else if (const auto size = CheckHistoryHeader(start, usage.slot); size.ok()) {
    history->header_ = *size;
  } else {
    return Invalid(
        Concat(name, ": ", Message(size.status()), "; move the file away, or let usage.historyFile name another"));
  }
  history->end_ = history->header_;
  return history;
}

Status HistoryFile::Write(Descriptor& file, std::string_view bytes, uint64_t at) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file.value(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(path_);
    bytes.remove_prefix(static_cast<size_t>(written));
    at += static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

Status HistoryFile::Sync(Descriptor& file) const {
  return ::fdatasync(file.value()) == 0 ? absl::OkStatus() : SystemError(path_);
}

Status HistoryFile::ForEach(const std::function<void(HistoryRecord)>& take, uint64_t& end) const {
  HistoryReader reader;
  end = header_;
  while (true) {
    HUYGENS_ASSIGN_OR_RETURN(const std::string head, ReadAt(file_->value(), path_, end, kRecordHead));
    if (head.size() < kRecordHead) return absl::OkStatus();
    const uint32_t size = ReadFixed32(head);
    if (size > kMaxRecord) return absl::OkStatus();
    HUYGENS_ASSIGN_OR_RETURN(const std::string payload, ReadAt(file_->value(), path_, end + kRecordHead, size));
    if (payload.size() < size || Crc32(payload) != ReadFixed32(head.substr(4))) return absl::OkStatus();
    auto record = reader.Read(payload);
    if (!record) return absl::OkStatus();
    end += kRecordHead + size;
    take(*std::move(record));
  }
}

bool HistoryFile::Wanted(HistoryRecord& record, int64_t first, int64_t last) const {
  if (record.readings.slot < first || record.readings.slot > last) return false;
  const auto found = std::ranges::find(usage_.resources, record.resource, &usage::ResourceOptions::name);
  record.readings.resource = static_cast<size_t>(found - usage_.resources.begin());
  return found != usage_.resources.end();
}

StatusOr<HistoryFile::Restored> HistoryFile::Replay(Time now, const Deliver& deliver) {
  Restored restored;
  const int64_t last = usage::SlotAt(now, usage_.slot);
  const int64_t first = usage::OldestSlot(now, usage_);
  HUYGENS_RETURN_IF_ERROR(ForEach(
      [&](HistoryRecord record) {
        if (!first_slot_) first_slot_ = record.readings.slot;
        for (const auto* side : {&record.readings.workloads, &record.readings.nodes}) {
          for (const usage::Reading& reading : *side) writer_.Know(reading.subject);
        }
        if (!Wanted(record, first, last)) return;
        restored.measured = std::max(restored.measured.value_or(Time()), record.readings.measured);
        deliver(std::move(record.readings));
      },
      end_));
  struct stat info{};
  if (::fstat(file_->value(), &info) != 0) return SystemError(path_);
  restored.cut_off = static_cast<uint64_t>(info.st_size) - end_;
  if (restored.cut_off > 0 && ::ftruncate(file_->value(), static_cast<off_t>(end_)) != 0) return SystemError(path_);
  return restored;
}

Status HistoryFile::Append(std::span<const usage::Readings> readings) {
  std::string bytes;
  int64_t newest = INT64_MIN;
  for (const usage::Readings& each : readings) {
    writer_.Append(bytes, usage_.resources[each.resource].name, each);
    newest = std::max(newest, each.slot);
  }
  if (bytes.empty()) return absl::OkStatus();
  Status status = Write(*file_, bytes, end_);
  if (status.ok()) status = Sync(*file_);
  if (!status.ok()) {
    writer_.Undo();
    // What got there must not be read as a continuation of what comes next.
    if (::ftruncate(file_->value(), static_cast<off_t>(end_)) != 0) return SystemError(path_);
    return status;
  }
  writer_.Keep();
  end_ += bytes.size();
  if (!first_slot_) first_slot_ = readings.front().slot;
  const bool full = newest - *first_slot_ >= 2 * static_cast<int64_t>(usage_.slots);
  compacted_ = full || usage::WentBack(newest, *first_slot_, usage_.slots) ? Compact(newest) : absl::OkStatus();
  return absl::OkStatus();
}

Status HistoryFile::Compact(int64_t newest) {
  const std::string draft = path_ + ".draft";
  auto fresh = std::make_unique<Descriptor>(draft, O_RDWR | O_CREAT | O_TRUNC);
  if (fresh->value() < 0) return SystemError(draft);
  HistoryWriter writer;
  uint64_t end = 0;
  std::optional<int64_t> first_slot;
  Status written = absl::OkStatus();
  const auto write = [&](std::string_view bytes) {
    if (written.ok()) written = Write(*fresh, bytes, end);
    end += bytes.size();
  };
  write(HistoryHeader(usage_.slot));
  std::string bytes;
  uint64_t old_end = 0;
  const int64_t oldest = usage::OldestSlot(Time(newest * usage_.slot), usage_);  // that a Replay can ask for
  Status status = ForEach(
      [&](HistoryRecord record) {
        if (!Wanted(record, oldest, newest)) return;
        if (!first_slot) first_slot = record.readings.slot;
        writer.Append(bytes, record.resource, record.readings);
        if (bytes.size() < kMaxRecord) return;
        write(bytes);
        bytes.clear();
      },
      old_end);
  write(bytes);
  if (status.ok()) status = written;
  if (status.ok()) status = Sync(*fresh);
  // Locked before it bears the name, so that nobody else can take it.
  if (status.ok() && ::flock(fresh->value(), LOCK_EX | LOCK_NB) != 0) status = SystemError(draft);
  if (status.ok() && std::rename(draft.c_str(), path_.c_str()) != 0) status = SystemError(path_);
  if (!status.ok()) {
    ::unlink(draft.c_str());
    return status;
  }
  writer.Keep();
  file_ = std::move(fresh);
  writer_ = std::move(writer);
  end_ = end;
  first_slot_ = first_slot;
  return SyncFolderOf(path_);
}

}  // namespace huygens::usage_sources
