#include "observe/decision_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "captured_log.h"
#include "decisions.h"
#include "observe/bounded_file.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::observe {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> LinesOf(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(DecisionLog, WritesOneJsonObjectPerLineAndGoesOnAfterARestart) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  std::string path = folder.File("decisions.jsonl");
  for (const char* pod : {"default/a", "default/b"}) {
    DecisionLog log({.path = path}, captured.clock, captured.log);
    log.Add(SomeRecord(pod, "u-1"));
    log.Flush();
    EXPECT_EQ(log.written(), 1u);
    EXPECT_EQ(log.dropped(), 0u);
  }
  EXPECT_THAT(LinesOf(path), ElementsAre(AllOf(StartsWith("{"), HasSubstr(R"("pod":"default/a")"), EndsWith("}")),
                                         HasSubstr(R"("pod":"default/b")")));
  EXPECT_THAT(captured.Lines(), IsEmpty());
}

TEST(DecisionLog, WhatIsQueuedIsWrittenBeforeItEnds) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  std::string path = folder.File("decisions.jsonl");
  {
    DecisionLog log({.path = path}, captured.clock, captured.log);
    for (int i = 0; i < 500; ++i) log.Add(SomeRecord("default/a", "u"));
  }
  EXPECT_EQ(LinesOf(path).size(), 500u);
}

TEST(DecisionLog, OffMeansNoFileAndNoWork) {
  CapturedLog captured;
  DecisionLog log({.path = ""}, captured.clock, captured.log);
  EXPECT_FALSE(log.Samples("u-1"));
  log.Add(SomeRecord("default/a", "u-1"));
  log.Flush();
  EXPECT_EQ(log.written() + log.dropped(), 0u);
}

TEST(DecisionLog, SamplesPodsEvenlyAndAlwaysTheSame) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  DecisionLog::Options options{.path = folder.File("decisions.jsonl"), .sample = 0.25};
  DecisionLog one(options, captured.clock, captured.log);
  options.sample = 0.5;
  DecisionLog more(options, captured.clock, captured.log);
  options.sample = 1;
  DecisionLog all(options, captured.clock, captured.log);
  options.sample = 0;
  DecisionLog none(options, captured.clock, captured.log);
  int chosen = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string uid = "6f1c0000-0000-4000-8000-" + std::to_string(100'000'000'000 + i);
    chosen += one.Samples(uid) ? 1 : 0;
    EXPECT_TRUE(!one.Samples(uid) || more.Samples(uid)) << "a larger share contains the smaller one";
    EXPECT_TRUE(all.Samples(uid));
    EXPECT_FALSE(none.Samples(uid));
  }
  EXPECT_NEAR(chosen, 2500, 200);
  // The choice is part of the file's meaning: it must not change between versions.
  EXPECT_TRUE(one.Samples("u-1"));
  EXPECT_FALSE(one.Samples("u-2"));
}

TEST(DecisionLog, BothFilesTogetherStayBelowTheLimit) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  std::string path = folder.File("decisions.jsonl");
  constexpr int64_t kMax = 20'000;
  DecisionLog log({.path = path, .max_bytes = kMax}, captured.clock, captured.log);
  for (int i = 0; i < 1000; ++i) log.Add(SomeRecord("default/p" + std::to_string(i), "u"));
  log.Flush();
  EXPECT_EQ(log.written(), 1000u);
  auto bytes = std::filesystem::file_size(path) + std::filesystem::file_size(path + ".1");
  EXPECT_LE(bytes, static_cast<uintmax_t>(kMax));
  EXPECT_GT(bytes, static_cast<uintmax_t>(kMax / 2));
  // No line is lost or torn between the two, and the newest are there.
  std::vector<std::string> lines = LinesOf(path + ".1");
  for (std::string& line : LinesOf(path)) lines.push_back(std::move(line));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(lines[lines.size() - 1 - i], HasSubstr("\"default/p" + std::to_string(999 - i) + "\""));
  }
}

TEST(DecisionLog, AnUnwritablePathIsOneWarningAndIsTriedAgain) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  std::string path = folder.File("missing/decisions.jsonl");
  DecisionLog log({.path = path}, captured.clock, captured.log);
  for (int i = 0; i < 10; ++i) log.Add(SomeRecord("default/a", "u"));
  log.Flush();
  captured.clock.Advance(std::chrono::seconds(5));
  log.Add(SomeRecord("default/a", "u"));
  log.Flush();
  EXPECT_EQ(log.dropped(), 11u);
  EXPECT_THAT(captured.Lines(),
              ElementsAre(AllOf(HasSubstr("level=warn"), HasSubstr("No such file or directory"), HasSubstr(path))));

  std::filesystem::create_directory(folder.File("missing"));
  captured.clock.Advance(std::chrono::seconds(4));
  log.Add(SomeRecord("default/a", "u"));
  log.Flush();
  EXPECT_EQ(log.dropped(), 12u) << "not tried before its time";
  captured.clock.Advance(std::chrono::seconds(1));
  log.Add(SomeRecord("default/a", "u"));
  log.Flush();
  EXPECT_EQ(log.written(), 1u);
  ASSERT_EQ(captured.Lines().size(), 2u);
  EXPECT_THAT(captured.Lines()[1], HasSubstr("written again"));
  EXPECT_THAT(captured.Lines()[1], HasSubstr("dropped=12"));
}

// Holds the writer up in its first look at the clock, as a disk that hangs would.
class StuckClock final : public Clock {
 public:
  Time Now() const override {
    std::unique_lock lock(mutex_);
    entered_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return {};
  }
  void WaitUntilStuck() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return entered_; });
  }
  void Open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool entered_ = false;
  bool open_ = false;
};

TEST(DecisionLog, ASlowDiskCostsDecisionsButNeverBlocks) {
  fake::TemporaryDirectory folder;
  CapturedLog captured;
  StuckClock stuck;
  size_t one = SomeRecord("default/a", "u")->bytes();
  DecisionLog log({.path = folder.File("d.jsonl"), .max_queued_bytes = 3 * one}, stuck, captured.log);
  log.Add(SomeRecord("default/a", "u"));
  stuck.WaitUntilStuck();
  for (int i = 0; i < 3; ++i) log.Add(SomeRecord("default/a", "u"));
  EXPECT_EQ(log.dropped(), 0u);
  for (int i = 0; i < 5; ++i) log.Add(SomeRecord("default/a", "u"));
  EXPECT_EQ(log.dropped(), 5u);
  stuck.Open();
  log.Flush();
  EXPECT_EQ(log.written(), 4u);
}

// The disk is full: here, files may not grow beyond a limit.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST(BoundedFile, ADiskThatFillsUpTearsNoLine) {
  fake::TemporaryDirectory folder;
  std::string path = folder.File("f");
  BoundedFile file(path, 1'000'000);
  ASSERT_TRUE(file.Append("first\n").ok());
  {
    FileSizeLimit limit(10);
    EXPECT_FALSE(file.Append("second line\n").ok());
    EXPECT_FALSE(file.Append("third line\n").ok());
  }
  EXPECT_TRUE(file.Append("fourth\n").ok());
  EXPECT_THAT(LinesOf(path), ElementsAre("first", "fourth"));
}

TEST(BoundedFile, HalfALineOfAnEarlierCrashIsEnded) {
  fake::TemporaryDirectory folder;
  std::string path = folder.File("f");
  std::ofstream(path) << "whole\nhal";
  BoundedFile file(path, 1'000'000);
  ASSERT_TRUE(file.Append("new\n").ok());
  EXPECT_THAT(LinesOf(path), ElementsAre("whole", "hal", "new"));
}

TEST(BoundedFile, ADeletedFileIsBegunAnew) {
  fake::TemporaryDirectory folder;
  std::string path = folder.File("f");
  BoundedFile file(path, 1'000'000);
  ASSERT_TRUE(file.Append("old\n").ok());
  std::filesystem::remove(path);
  ASSERT_TRUE(file.Append("new\n").ok());
  EXPECT_THAT(LinesOf(path), ElementsAre("new"));
}

TEST(BoundedFile, ALineLongerThanTheFileIsRefusedAlone) {
  fake::TemporaryDirectory folder;
  std::string path = folder.File("f");
  BoundedFile file(path, 10);
  EXPECT_TRUE(absl::IsOutOfRange(file.Append("12345678901\n")));
  EXPECT_TRUE(file.Append("short\n").ok());
  EXPECT_THAT(LinesOf(path), ElementsAre("short"));
}

TEST(BoundedFile, OnlyRegularFilesAreWritten) {
  fake::TemporaryDirectory folder;
  std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  BoundedFile file(path, 1000);
  EXPECT_THAT(std::string(Message(file.Append("x\n"))), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace huygens::observe
