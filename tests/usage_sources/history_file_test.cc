#include "usage_sources/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/fake/temporary_directory.h"

// How often a folder was synced, and how that ends.
static int g_folder_syncs = 0, g_folder_sync_error = 0;
// Stands before that of the C library.
extern "C" int fsync(int file) {
  struct stat info{};
  if (::fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    ++g_folder_syncs;
    if (g_folder_sync_error != 0) return errno = g_folder_sync_error, -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace huygens::usage_sources {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using usage::Readings;

constexpr Duration kSlot = minutes(15);
constexpr int64_t kNow = 2'000'000;  // number of a slot

Time At(int64_t slot) { return Time(kSlot * slot); }

usage::Options Usage(size_t slots = 672) {
  usage::Options usage{.slot = kSlot, .slots = slots};
  usage.resources = {{.name = "cpu"}, {.name = "memory", .resource = kMemory}};
  return usage;
}

Readings Slot(int64_t slot, int64_t amount, size_t resource = 0) {
  return {.resource = resource,
          .slot = slot,
          .measured = At(slot) + minutes(14),
          .workloads = {{"s/Deployment/web", amount}, {"s/Pod/slot-" + std::to_string(slot % 7), amount + 1}},
          .nodes = {{"n1", amount / 2}}};
}

// As text, for comparison.
std::string Text(const Readings& readings) {
  std::ostringstream out;
  out << readings.resource << " @" << readings.slot << " " << FormatRfc3339(readings.measured);
  for (const auto& [subject, amount] : readings.workloads) out << " " << subject << "=" << amount;
  for (const auto& [subject, amount] : readings.nodes) out << " node " << subject << "=" << amount;
  return out.str();
}
std::vector<std::string> Texts(const std::vector<Readings>& all) {
  std::vector<std::string> texts;
  for (const Readings& each : all) texts.push_back(Text(each));
  return texts;
}

ino_t InodeOf(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_ino;
}

class HistoryFileTest : public testing::Test {
 protected:
  HistoryFileTest() { g_folder_syncs = g_folder_sync_error = 0; }
  static std::unique_ptr<HistoryFile> Open(const std::string& path, const usage::Options& usage = Usage()) {
    auto file = HistoryFile::Open(path, usage);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *std::move(file) : nullptr;
  }
  static std::vector<std::string> Replay(HistoryFile& file, int64_t now = kNow, uint64_t* cut_off = nullptr) {
    std::vector<Readings> all;
    auto restored = file.Replay(At(now), [&](Readings readings) { all.push_back(std::move(readings)); });
    EXPECT_TRUE(restored.ok()) << restored.status();
    if (cut_off != nullptr && restored.ok()) *cut_off = restored->cut_off;
    return Texts(all);
  }
  // Writes a file of these slots, each in an Append of its own.
  std::vector<Readings> Fill(int64_t first, int64_t last) {
    auto file = Open(path_);
    Replay(*file);
    std::vector<Readings> all;
    for (int64_t slot = first; slot <= last; ++slot) {
      all.push_back(Slot(slot, slot % 1000));
      EXPECT_TRUE(file->Append({&all.back(), 1}).ok());
      ends_.push_back(std::filesystem::file_size(path_));
    }
    return all;
  }
  std::string Bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Put(std::string_view bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  fake::TemporaryDirectory folder_;
  std::vector<size_t> ends_;  // of the records that Fill wrote
  const std::string path_ = folder_.path() + "/history";
};

TEST_F(HistoryFileTest, GivesBackWhatItWasGivenInTheSameOrder) {
  const std::vector<Readings> slots = {Slot(kNow - 3, 100), Slot(kNow - 3, int64_t{1} << 40, 1), Slot(kNow - 2, 0)};
  {
    auto file = Open(path_);
    EXPECT_TRUE(Replay(*file).empty());
    ASSERT_TRUE(file->Append({slots.data(), 2}).ok());
    ASSERT_TRUE(file->Append({slots.data() + 2, 1}).ok());
  }
  EXPECT_EQ(Replay(*Open(path_)), Texts(slots));
}

TEST_F(HistoryFileTest, GoesOnWhereAnEarlierRunStopped) {
  std::vector<Readings> all = Fill(kNow - 9, kNow - 5);
  std::ranges::copy(Fill(kNow - 4, kNow - 1), std::back_inserter(all));
  EXPECT_EQ(Replay(*Open(path_)), Texts(all));
}

TEST_F(HistoryFileTest, ReplaysAWindowBesideTheOpenSlotAndNothingOfTheFuture) {
  const std::vector<Readings> all = Fill(kNow - 20, kNow + 3);
  const std::vector<Readings> window(all.begin() + 10, all.begin() + 21);
  EXPECT_EQ(Replay(*Open(path_, Usage(10))), Texts(window));
}

TEST_F(HistoryFileTest, AResourceKeepsItsHistoryInAnotherPlaceOfTheListAndLosesItOffTheList) {
  {
    auto file = Open(path_);
    Replay(*file);
    const std::vector<Readings> slots = {Slot(kNow, 1, 0), Slot(kNow, 2, 1)};
    ASSERT_TRUE(file->Append(slots).ok());
  }
  usage::Options other = Usage();
  other.resources = {{.name = "disk"}, {.name = "cpu"}};
  EXPECT_EQ(Replay(*Open(path_, other)), Texts({Slot(kNow, 1, 1)}));
}

TEST_F(HistoryFileTest, HoldsTwoWindowsAtMost) {
  auto file = Open(path_, Usage(10));
  Replay(*file, kNow);
  size_t largest = 0;
  int rewritings = 0;
  ino_t inode = InodeOf(path_);
  for (int64_t slot = kNow; slot < kNow + 100; ++slot) {
    const Readings readings = Slot(slot, 500);
    ASSERT_TRUE(file->Append({&readings, 1}).ok());
    largest = std::max(largest, Bytes().size());
    const ino_t before = std::exchange(inode, InodeOf(path_));
    rewritings += inode != before ? 1 : 0;
  }
  const size_t one = Bytes().size() / 10;  // the last rewriting left between 10 and 20 slots
  EXPECT_LT(largest, 30 * one);
  EXPECT_GT(rewritings, 0);
  EXPECT_LT(rewritings, 10) << "once a window is enough";
  file.reset();
  std::vector<Readings> last;
  for (int64_t slot = kNow + 89; slot < kNow + 100; ++slot) last.push_back(Slot(slot, 500));
  EXPECT_EQ(Replay(*Open(path_, Usage(10)), kNow + 99), Texts(last));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1) << "leaves nothing beside it";
}

TEST_F(HistoryFileTest, HoldsTwoWindowsAfterAClockThatWentBackToo) {
  const auto append = [](HistoryFile& file, int64_t slot) {
    const Readings readings = Slot(slot, 500);
    ASSERT_TRUE(file.Append({&readings, 1}).ok());
    EXPECT_TRUE(file.compacted().ok());
  };
  {
    auto file = Open(path_, Usage(10));
    Replay(*file);
    append(*file, kNow + 1000);
  }
  const size_t one = Bytes().size();  // with its names, and so longer than the next
  size_t largest = 0;
  auto file = Open(path_, Usage(10));
  Replay(*file);
  for (int64_t slot = kNow; slot < kNow + 100; ++slot) {
    append(*file, slot);
    largest = std::max(largest, Bytes().size());
  }
  EXPECT_LT(largest, 30 * one);
  file.reset();
  std::vector<Readings> last;
  for (int64_t slot = kNow + 89; slot < kNow + 100; ++slot) last.push_back(Slot(slot, 500));
  EXPECT_EQ(Replay(*Open(path_, Usage(10)), kNow + 99), Texts(last));
}

TEST_F(HistoryFileTest, WhatCannotBeRewrittenIsKeptAndRewrittenLater) {
  auto file = Open(path_, Usage(2));
  Replay(*file);
  std::filesystem::create_directory(path_ + ".draft");  // in the way
  std::vector<Readings> all;
  const auto append = [&](int64_t slot) {
    all.push_back(Slot(slot, 5));
    EXPECT_TRUE(file->Append({&all.back(), 1}).ok()) << "it is on disk";
  };
  for (int64_t slot = kNow - 5; slot < kNow; ++slot) append(slot);
  EXPECT_THAT(std::string(Message(file->compacted())), HasSubstr(path_ + ".draft: "));
  const size_t size = Bytes().size();
  std::filesystem::remove(path_ + ".draft");
  append(kNow);
  EXPECT_TRUE(file->compacted().ok());
  EXPECT_LT(Bytes().size(), size);
  file.reset();
  EXPECT_EQ(Replay(*Open(path_, Usage(2))), Texts({all[3], all[4], all[5]}));
}

TEST_F(HistoryFileTest, AFolderMayBeWrittenAndNotRead) {
  using std::filesystem::perms;
  const std::string folder = folder_.path() + "/write-only";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder_.path(), perms(0755));
  std::filesystem::permissions(folder, perms(0333));
  const uid_t self = ::geteuid();
  if (self == 0 && ::seteuid(65534) != 0) GTEST_SKIP() << "permissions do not bind root, and it may be nobody else";
  const auto file = HistoryFile::Open(folder + "/history", Usage());
  ASSERT_EQ(::seteuid(self), 0);
  std::filesystem::permissions(folder, perms(0755));
  EXPECT_TRUE(file.ok()) << file.status();
}

TEST_F(HistoryFileTest, IsRefusedToASecondUser) {
  auto file = Open(path_);
  const auto second = HistoryFile::Open(path_, Usage());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(Message(second.status())), HasSubstr("another huygens keeps its history there"));
  file.reset();
  EXPECT_TRUE(HistoryFile::Open(path_, Usage()).ok());
}

TEST_F(HistoryFileTest, StaysRefusedAfterItWasRewritten) {
  auto file = Open(path_, Usage(2));
  Replay(*file);
  for (int64_t slot = kNow; slot < kNow + 9; ++slot) {
    const Readings readings = Slot(slot, 5);
    ASSERT_TRUE(file->Append({&readings, 1}).ok());
  }
  EXPECT_FALSE(HistoryFile::Open(path_, Usage(2)).ok());
}

TEST_F(HistoryFileTest, LeavesAloneWhatItCannotUse) {
  struct {
    std::string content;
    std::string says;
  } const cases[] = {{"apiVersion: v1\n", "not a usage history"},
                     {"huygens-usage-history 2 grain=900\nmore", "another version of huygens"},
                     {HistoryHeader(minutes(30)) + "x", "slot=1800000ms, while usage.slot is 900000ms"}};
  for (const auto& [content, says] : cases) {
    Put(content);
    const auto file = HistoryFile::Open(path_, Usage());
    ASSERT_FALSE(file.ok()) << content;
    EXPECT_THAT(std::string(Message(file.status())), HasSubstr(says));
    EXPECT_THAT(std::string(Message(file.status())), HasSubstr(path_));
    EXPECT_EQ(Bytes(), content);
  }
  EXPECT_FALSE(HistoryFile::Open(folder_.path() + "/no/such/folder", Usage()).ok());
}

// A property holds for a file cut anywhere, or with any of its bytes changed: what comes back is the beginning of what
// was written, and the file takes up new slots as if it had ended there.
TEST_F(HistoryFileTest, DamageAnywhereKeepsWhatIsBeforeIt) {
  const std::vector<std::string> written = Texts(Fill(kNow - 30, kNow - 1));
  const std::string whole = Bytes();
  const size_t header = HistoryHeader(kSlot).size();
  const Readings next = Slot(kNow, 77);
  EXPECT_TRUE(rc::check([&] {
    const auto at = *rc::gen::inRange<size_t>(header, whole.size());
    std::string bytes = whole;
    if (*rc::gen::arbitrary<bool>()) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ *rc::gen::inRange(1, 256));
    }
    if (*rc::gen::arbitrary<bool>()) bytes += *rc::gen::arbitrary<std::string>();
    Put(bytes);
    std::vector<std::string> kept;
    uint64_t cut_off = 0;
    {
      auto file = Open(path_);
      kept = Replay(*file, kNow, &cut_off);
      const auto whole_before = std::ranges::upper_bound(ends_, at) - ends_.begin();
      RC_ASSERT(kept == std::vector(written.begin(), written.begin() + whole_before));
      RC_ASSERT(std::filesystem::file_size(path_) + cut_off == bytes.size());
      RC_ASSERT(file->Append({&next, 1}).ok());
    }
    kept.push_back(Text(next));
    RC_ASSERT(Replay(*Open(path_)) == kept);
  }));
}

TEST_F(HistoryFileTest, ATornHeaderIsANewFile) {
  Put(HistoryHeader(kSlot).substr(0, 9));
  EXPECT_TRUE(Replay(*Open(path_)).empty());
  EXPECT_EQ(Bytes(), HistoryHeader(kSlot));
}

TEST_F(HistoryFileTest, AFullDiskCostsTheSlotAndNothingElse) {
  auto file = Open(path_);
  Replay(*file);
  // The third names what the second, which is lost, would have named first.
  const std::vector<Readings> slots = {Slot(kNow - 9, 1), Slot(kNow - 8, 2), Slot(kNow - 1, 3)};
  ASSERT_TRUE(file->Append({&slots[0], 1}).ok());
  const size_t size = Bytes().size();
  // Files may not become longer than this: what a full disk does to a write.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = before;
  full.rlim_cur = size + 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status status = file->Append({&slots[1], 1});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(Message(status)), HasSubstr(path_));
  EXPECT_EQ(Bytes().size(), size) << "nothing is left of it";
  ASSERT_TRUE(file->Append({&slots[2], 1}).ok());
  file.reset();
  EXPECT_EQ(Replay(*Open(path_)), Texts({slots[0], slots[2]}));
}

TEST(HistoryRecords, AnyBytesAreARecordOrNone) {
  EXPECT_TRUE(rc::check([](const std::string& payload) {
    HistoryReader reader;
    const auto record = reader.Read(payload);
    if (!record) return;
    for (const auto* side : {&record->readings.workloads, &record->readings.nodes}) {
      for (const usage::Reading& each : *side) RC_ASSERT(each.amount >= 0);
    }
  }));
}

TEST_F(HistoryFileTest, ItsNameOutlivesACrashToo) {
  auto file = Open(path_, Usage(2));
  EXPECT_EQ(g_folder_syncs, 1) << "a new file";
  Replay(*file);
  for (int64_t slot = 0; slot < 5; ++slot) {
    const Readings readings = Slot(kNow + slot, 1);
    ASSERT_TRUE(file->Append({&readings, 1}).ok());
  }
  EXPECT_EQ(g_folder_syncs, 2) << "after it was rewritten";
  g_folder_sync_error = EIO;
  EXPECT_FALSE(HistoryFile::Open(path_ + "2", Usage()).ok());
  g_folder_sync_error = EINVAL;  // a file system without such a call
  EXPECT_TRUE(HistoryFile::Open(path_ + "3", Usage()).ok());
}

}  // namespace
}  // namespace huygens::usage_sources
