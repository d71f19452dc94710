// The annotation as text, and what of it is believed.
#include "overcommit/record.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::overcommit {
namespace {

using recommend::Recorded;

std::optional<RecordedAmount> Read(std::string_view cpu) {
  const StatusOr<Record> record = ParseRecord(Concat(R"({"containers":{"app":{"cpu":)", cpu, "}}}"));
  EXPECT_TRUE(record.ok()) << record.status();
  const RecordedAmounts* found = record.ok() ? FindContainer(*record, "app") : nullptr;
  return found == nullptr ? std::nullopt : (*found)[0];
}

TEST(Record, IsReadAsItIsWrittenWithWhatWasBeforeAResize) {
  Record record{.pool = "shared", .basis = "limit", .containers = {}, .pod = {}};
  RecordedAmounts amounts;
  amounts[0] = RecordedAmount{
      .original = 4000, .applied = 1200, .limit = 8000, .source = recommend::Source::kStatic, .before = 2000};
  record.containers.emplace_back("app", amounts);
  EXPECT_EQ(*ParseRecord(RecordText(record)), record);
  EXPECT_NE(RecordText(record).find(R"("before":"2")"), std::string::npos);
}

TEST(Record, ARequestIsTheRecordedOneWhetherOrNotAResizeHasComeAbout) {
  const std::optional<RecordedAmount> amount = Read(R"({"original":"4","applied":"1","source":"static","before":"2"})");
  ASSERT_TRUE(amount);
  EXPECT_EQ(StillRecorded(amount, 1000, std::nullopt), (Recorded{4000, 1000}));
  EXPECT_EQ(StillRecorded(amount, 2000, std::nullopt), (Recorded{4000, 2000}));
  EXPECT_EQ(StillRecorded(amount, 1500, std::nullopt), std::nullopt);  // somebody's since
  EXPECT_EQ(StillRecorded(amount, 4000, std::nullopt), std::nullopt);
  EXPECT_EQ(StillRecorded(amount, 2000, 3000), (Recorded{3000, 2000}));  // a limit that was lowered since
}

TEST(Record, WhatCannotHaveBeenBeforeIsPassedOver) {
  for (const char* before : {"500m", "5", "-1"}) {
    const auto amount = Read(Concat(R"({"original":"4","applied":"1","source":"static","before":")", before, R"("})"));
    ASSERT_TRUE(amount) << before;
    EXPECT_FALSE(amount->before) << before;
  }
}

}  // namespace
}  // namespace huygens::overcommit
