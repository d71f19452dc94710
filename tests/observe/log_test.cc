#include "observe/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "captured_log.h"
#include "observe/log_limit.h"
#include "observe/utf8.h"

namespace huygens::observe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Log, OneEventIsOneTextLine) {
  CapturedLog captured;
  captured.log.Info(
      "pod bound", {{"pod", "default/a"}, {"uid", std::string("6f1c")}, {"zones", 2}, {"cross", true}, {"share", 0.5}});
  captured.log.Warn("slow", {{"took", Duration(milliseconds(1500))}});
  EXPECT_THAT(captured.Lines(), ElementsAre("time=2026-11-21T11:36:17.250000Z level=info msg=\"pod bound\" "
                                            "pod=default/a uid=6f1c zones=2 cross=true share=0.5",
                                            "time=2026-11-21T11:36:17.250000Z level=warn msg=slow took=1.5"));
}

TEST(Log, OneEventIsOneJsonObject) {
  CapturedLog captured(LogFormat::kJson);
  captured.log.Error("pod \"x\"", {{"pod", "default/a"}, {"zones", size_t{2}}, {"cross", false}, {"error", ""}});
  EXPECT_THAT(captured.Lines(),
              ElementsAre(R"({"time":"2026-11-21T11:36:17.250000Z","level":"error","msg":"pod \"x\"",)"
                          R"("pod":"default/a","zones":2,"cross":false,"error":""})"));
}

TEST(Log, ValuesCannotForgeLinesOrFields) {
  CapturedLog captured;
  captured.log.Info("x", {{"a", "one\nlevel=error"},
                          {"b", "c=d"},
                          {"e", ""},
                          {"f", "say \"hi\""},
                          {"g", "\x1b[31m"},
                          {"h", "back\\slash"}});
  ASSERT_EQ(captured.Lines().size(), 1u);
  EXPECT_THAT(captured.Lines()[0],
              EndsWith(R"(a="one\nlevel=error" b="c=d" e="" f="say \"hi\"" g="\u001b[31m" h="back\\slash")"));
}

TEST(Log, BytesThatAreNoUtf8AreReplaced) {
  CapturedLog captured(LogFormat::kJson);
  captured.log.Info("x", {{"a", "good \xC3\xA9, bad \xC3("}});
  EXPECT_THAT(captured.Lines()[0], HasSubstr("\"a\":\"good \xC3\xA9, bad \xEF\xBF\xBD(\""));
}

TEST(Log, LevelsBelowAreLeftOut) {
  CapturedLog captured(LogFormat::kText, LogLevel::kWarn);
  captured.log.Debug("debug");
  captured.log.Info("info");
  captured.log.Warn("warn");
  captured.log.Error("error");
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr("msg=warn"), HasSubstr("msg=error")));
  EXPECT_FALSE(captured.log.Enabled(LogLevel::kInfo));
  EXPECT_EQ(captured.log.dropped(), 0u);
}

TEST(Log, LongValuesAndLongLinesAreCutAndStayReadable) {
  for (LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    CapturedLog captured(format);
    std::string huge(100'000, 'x');
    captured.log.Info("x", {{"a", huge}, {"b", huge}, {"c", huge}, {"d", huge}, {"e", huge}});
    captured.log.Info(huge, {{"last", "kept"}});
    auto lines = captured.Lines();
    ASSERT_EQ(lines.size(), 2u);
    for (const std::string& line : lines) EXPECT_LE(line.size() + 1, Log::kMaxLineBytes);
    EXPECT_THAT(lines[0], HasSubstr("xxx...\""));
    EXPECT_THAT(lines[0], EndsWith(format == LogFormat::kJson ? ",\"cut\":true}" : " cut=true"));
    EXPECT_THAT(lines[1], HasSubstr("kept"));
  }
}

// A value of control characters grows sixfold when escaped.
TEST(Log, NoLineIsLongerThanOneWriteToAPipe) {
  CapturedLog captured(LogFormat::kJson);
  std::string control(2000, '\x01');
  captured.log.Info(control, {{"a", control}});
  for (const std::string& line : captured.Lines()) EXPECT_LE(line.size() + 1, Log::kMaxLineBytes);
}

TEST(Log, AFullPipeCostsLinesButNeverBlocks) {
  test::ManualClock clock;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Log log(clock, LogLevel::kInfo, LogFormat::kText, ends[1]);
  const std::string text(900, 'x');
  uint64_t sent = 0;
  while (log.dropped() < 3) {  // would hang here if it blocked
    log.Info("fill", {{"text", text}});
    ASSERT_LT(++sent, 10'000u);
  }
  // Read everything, then say one thing more.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  auto drain = [&] {
    std::string out;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) out.append(buffer, static_cast<size_t>(n));
    return out;
  };
  std::string before = drain();
  EXPECT_EQ(static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n')), sent - 3);
  log.Info("after");
  log.Info("later");
  std::string after = drain();
  EXPECT_THAT(after, HasSubstr("level=warn msg=\"log lines dropped\" count=3\n"));
  EXPECT_THAT(after, HasSubstr("msg=after\n"));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 3);
  close(ends[0]);
  close(ends[1]);
}

TEST(Log, LinesOfSeveralThreadsDoNotMix) {
  CapturedLog captured;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&captured, t] {
      for (int i = 0; i < 250; ++i) captured.log.Info("tick", {{"thread", t}, {"i", i}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto lines = captured.Lines();
  EXPECT_EQ(lines.size(), 1000u);
  for (const std::string& line : lines)
    EXPECT_THAT(line, StartsWith("time=2026-11-21T11:36:17.250000Z level=info msg=tick thread="));
}

TEST(RateLimit, SaysHowManyWereLeftOut) {
  test::ManualClock clock;
  RateLimit limit(seconds(10));
  EXPECT_EQ(limit.Allow(clock.Now()), 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.Allow(clock.Now()), std::nullopt);
  clock.Advance(milliseconds(9'999));
  EXPECT_EQ(limit.Allow(clock.Now()), std::nullopt);
  clock.Advance(milliseconds(1));
  EXPECT_EQ(limit.Allow(clock.Now()), 4u);
}

TEST(RateLimit, AClockSetBackDoesNotSilenceIt) {
  test::ManualClock clock;
  RateLimit limit(seconds(10));
  EXPECT_TRUE(limit.Allow(clock.Now()));
  clock.Advance(-seconds(3600));
  EXPECT_TRUE(limit.Allow(clock.Now()));
  EXPECT_FALSE(limit.Allow(clock.Now()));
}

TEST(StateChange, TellsEachStateOnce) {
  StateChange state;
  EXPECT_FALSE(state.Changes(""));
  EXPECT_TRUE(state.Changes("broken"));
  EXPECT_FALSE(state.Changes("broken"));
  EXPECT_TRUE(state.Changes(""));
}

TEST(Utf8, TellsWholeCharactersFromStrayBytes) {
  for (const char* good :
       {"", "abc", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(IsUtf8(good)) << good;
  for (const char* bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "a\xE2\x82"}) {
    EXPECT_FALSE(IsUtf8(bad));
    EXPECT_TRUE(IsUtf8(RepairUtf8(bad)));
  }
  EXPECT_EQ(RepairUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace huygens::observe
