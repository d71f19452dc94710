#include "wire/watch.h"

#include <gtest/gtest.h>

#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

TEST(Watch, ALineHasATypeAndAnObjectAsItCame) {
  auto event = DecodeWatchLine(samples::kWatchAdded);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kAdded);
  EXPECT_EQ(event->resource_version, "12");
  EXPECT_EQ(event->object,
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"12"},"spec":{}})");
}

TEST(Watch, TheTypeMayFollowTheObject) {
  auto event = DecodeWatchLine(R"({ "object" : {"metadata":{"resourceVersion":"3"} } , "type":"DELETED" })");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kDeleted);
  EXPECT_EQ(event->resource_version, "3");
  EXPECT_EQ(event->object, R"({"metadata":{"resourceVersion":"3"} })");
  event = DecodeWatchLine(R"({"type":"MODIFIED","object":{}})");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->type, WatchType::kModified);
}

TEST(Watch, OfTwoObjectsTheLastCounts) {
  auto event =
      DecodeWatchLine(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"3"}},"object":{"metadata":{}}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->object, R"({"metadata":{}})");
  EXPECT_EQ(event->resource_version, "");
}

TEST(Watch, ABookmarkSaysWhereTheWatchStands) {
  auto event = DecodeWatchLine(samples::kWatchBookmark);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kBookmark);
  EXPECT_EQ(event->resource_version, "99");
}

TEST(Watch, AnErrorCarriesTheStatus) {
  auto event = DecodeWatchLine(Concat(R"({"type":"ERROR","object":)", samples::kStatusGone, "}"));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kError);
  EXPECT_EQ(event->error.code, 410);
  EXPECT_EQ(event->error.reason, "Expired");
  EXPECT_EQ(event->error.message, "too old resource version: 1, newest 2");
}

TEST(Watch, RefusesWhatIsNoEvent) {
  for (std::string_view line :
       {"", "{}", "[]", R"({"type":"ADDED"})", R"({"type":"ADDED","object":null})", R"({"type":"added","object":{}})",
        R"({"type":"ERROR","object":{"kind":"Pod"}})", R"({"object":{}})", R"({"type":7,"object":{}})"}) {
    EXPECT_FALSE(DecodeWatchLine(line).ok()) << line;
  }
  for (size_t length = 0; length < samples::kWatchAdded.size(); ++length) {
    EXPECT_FALSE(DecodeWatchLine(samples::kWatchAdded.substr(0, length)).ok());
  }
}

}  // namespace
}  // namespace huygens::wire
