// Folders of recorded use as people may hand them in: what can be read is, and what cannot is named.
#include "bench/recommend/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::recommend {
namespace {

using testing::HasSubstr;

class BenchFolder : public testing::Test {
 protected:
  StatusOr<std::vector<Trace>> Read() const { return ReadTraces(folder_.path(), {}); }
  void Write(std::string_view name, std::string_view text) { folder_.Write(name, text); }
  std::string Fault() const {
    const auto traces = Read();
    return traces.ok() ? "" : std::string(Message(traces.status()));
  }
  // A value every `step` seconds, for so many days.
  static std::string Series(int step, int days, std::string_view heading = "time,cpu") {
    std::string text = Concat(heading, "\n");
    for (int i = 0; i < days * 86'400 / step; ++i) {
      text += Concat(std::to_string(i * step), ",", std::to_string(1 + i % 7), "\n");
    }
    return text;
  }
  static std::string Curve(size_t points) {
    std::string text = "1";
    for (size_t i = 1; i < points; ++i) text += Concat("|", std::to_string(1 + i % 5));
    return text;
  }

  fake::TemporaryDirectory folder_;
};

TEST_F(BenchFolder, OneThatIsAbsentOrHoldsNothingOfTheKindIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ReadTraces(folder_.path() + "/absent", {}).status()));
  EXPECT_TRUE(absl::IsNotFound(Read().status()));
  Write("readme.txt", "nothing");
  std::filesystem::create_directory(folder_.path() + "/folder.csv");
  EXPECT_TRUE(absl::IsNotFound(Read().status()));
}

TEST_F(BenchFolder, AFileForEachSeriesIsJudgedDayByDayFromTheEighthOn) {
  Write("cart.csv", Series(300, 10));
  Write("shop.csv", Series(3600, 8));
  const auto traces = Read();
  ASSERT_TRUE(traces.ok()) << traces.status();
  ASSERT_EQ(traces->size(), 2u);  // those of one step together
  EXPECT_EQ((*traces)[0].cases.size(), 3u);
  EXPECT_EQ((*traces)[0].cases[2].seen.size(), 9u * 288);
  EXPECT_EQ((*traces)[0].cases[2].judged.size(), 288u);
  EXPECT_EQ((*traces)[1].cases.size(), 1u);
}

TEST_F(BenchFolder, ShortAndEmptySeriesHaveNothingToJudge) {
  for (const std::string& text :
       {std::string(), std::string("time,cpu\n"), std::string("time,cpu\n0,1\n"), Series(300, 7)}) {
    Write("short.csv", text);
    const auto traces = Read();
    ASSERT_TRUE(traces.ok()) << traces.status();
    for (const Trace& each : *traces) EXPECT_TRUE(each.cases.empty());
  }
}

TEST_F(BenchFolder, WhatCannotBeUnderstoodIsNamedByItsLine) {
  for (const char* line : {"300", "300,", "300,much", ",1", "300,nan", "300,inf", "300,-1", "300;1", "1e999,1"}) {
    Write("odd.csv", Concat("time,cpu\n0,1\n", line, "\n600,1\n"));
    EXPECT_THAT(Fault(), HasSubstr("odd.csv:3 is not \"seconds,use\"")) << line;
  }
}

TEST_F(BenchFolder, TimesMustRise) {
  Write("back.csv", "time,cpu\n600,1\n300,1\n0,1\n");
  EXPECT_THAT(Fault(), HasSubstr("times must rise"));
  Write("back.csv", "time,cpu\n0,1\n0,1\n0,1\n");
  EXPECT_THAT(Fault(), HasSubstr("times must rise"));
  Write("back.csv", "time,cpu\n0,1\n90000,1\n180000,1\n");
  EXPECT_THAT(Fault(), HasSubstr("by a day at most"));
}

TEST_F(BenchFolder, WhatComesMoreOftenThanOnceAMinuteIsJoinedToMinutes) {
  Write("fast.csv", Series(15, 8));
  const auto traces = Read();
  ASSERT_TRUE(traces.ok()) << traces.status();
  ASSERT_EQ(traces->size(), 1u);
  EXPECT_EQ((*traces)[0].step, 60);
  ASSERT_EQ((*traces)[0].cases.size(), 1u);
  EXPECT_EQ((*traces)[0].cases[0].judged.size(), 1440u);
}

TEST_F(BenchFolder, OfTheContestEachLineMustHaveADay) {
  Write("app_resources.csv.gz", Concat("app_1,", Curve(98), ",1\napp_2,", Curve(95), ",1\n"));
  EXPECT_THAT(Fault(), HasSubstr("app_resources.csv.gz:2 cannot be understood"));
  Write("app_resources.csv.gz", Concat("app_1,", Curve(98), ",1\napp_2\n"));
  EXPECT_THAT(Fault(), HasSubstr(":2 cannot be understood"));
  Write("app_resources.csv.gz", "");
  const auto empty = Read();
  ASSERT_TRUE(empty.ok()) << empty.status();
  for (const Trace& each : *empty) EXPECT_TRUE(each.cases.empty());
  Write("app_resources.csv.gz", Concat("app_1,", Curve(98), ",1\napp_2,", Curve(98), ",1\n"));
  const auto traces = Read();
  ASSERT_TRUE(traces.ok()) << traces.status();
  ASSERT_EQ(traces->size(), 4u);
  EXPECT_EQ((*traces)[2].cases.size(), 1u);  // the other half is judged by --part=1
  EXPECT_EQ((*traces)[2].cases[0].judged.size(), 96u);
}

TEST_F(BenchFolder, OfPlanetLabsMachinesThoseOfEightDaysCount) {
  std::string day;
  for (int i = 0; i < 288; ++i) day += "50\n";
  for (int i = 10; i < 18; ++i) {
    const std::string folder = Concat("201103", std::to_string(i), "/");
    Write(folder + "a", day);
    Write(folder + "b", i == 17 ? "50\nmuch\n" : day);  // the eighth cannot be read
    Write(folder + "c", i == 17 ? "50\n" : day);        // nor is this a day
  }
  std::filesystem::create_directory(folder_.path() + "/20110310/folder");
  const auto traces = Read();
  ASSERT_TRUE(traces.ok()) << traces.status();
  ASSERT_EQ(traces->size(), 1u);
  ASSERT_EQ((*traces)[0].cases.size(), 1u);
  EXPECT_EQ((*traces)[0].cases[0].seen.size(), 7u * 288);
  EXPECT_DOUBLE_EQ((*traces)[0].cases[0].judged[0], 0.5);
}

}  // namespace
}  // namespace huygens::recommend
