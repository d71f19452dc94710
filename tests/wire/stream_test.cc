// What the API server answers to LIST and WATCH, and when it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wire/samples.h"
#include "wire/api_status.h"
#include "wire/list.h"
#include "wire/object_meta.h"
#include "wire/watch.h"

namespace huygens::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(List, IsSplitIntoItemsAsTheyCame) {
  auto list = DecodeList(samples::kPodList);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->resource_version, "4711");
  EXPECT_EQ(list->continue_token, "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ");
  const auto text = [](const char* json) { return testing::Field(&ListItem::text, std::string_view(json)); };
  EXPECT_THAT(list->items, ElementsAre(text(R"({"metadata":{"name":"a","note":"]},{"}})"),
                                       text(R"({"metadata":{"name":"b"}})"), text("{}")));
  EXPECT_GE(list->items[0].text.data(), samples::kPodList.data());
  EXPECT_LT(list->items[0].text.data(), samples::kPodList.data() + samples::kPodList.size());
}

TEST(List, KnowsTheResourceVersionsOfItsItems) {
  auto list = DecodeList(
      R"({"items":[{"metadata":{"resourceVersion":"41"},"spec":{}}, {"metadata":{"resourceVersion":"x"}} ,)"
      R"({"spec":{"metadata":{"resourceVersion":"9"}}},{"metadata":{"resourceVersion":7}},{"metadata":[]}]})");
  ASSERT_TRUE(list.ok()) << list.status();
  const auto version = [](uint64_t number) { return testing::Field(&ListItem::resource_version, number); };
  EXPECT_THAT(list->items, ElementsAre(version(41), version(0), version(0), version(0), version(0)));
  EXPECT_EQ(list->items[1].text, R"({"metadata":{"resourceVersion":"x"}})");
}

TEST(List, NullItemsAreAnEmptyListButNoItemsAreNoList) {
  auto empty = DecodeList(R"({"metadata":{"resourceVersion":"1"},"items":null})");
  ASSERT_TRUE(empty.ok());
  EXPECT_THAT(empty->items, IsEmpty());
  EXPECT_FALSE(DecodeList(samples::kStatusGone).ok());
  EXPECT_FALSE(DecodeList("{}").ok());
}

TEST(List, ErrorsSayWhere) {
  EXPECT_EQ(Message(DecodeList(R"({"items":[{},7]})").status()), "items[1]: expected an object, found a number");
  EXPECT_EQ(Message(DecodeList(R"({"items":[null]})").status()), "items[0]: expected an object, found null");
  EXPECT_EQ(Message(DecodeList(R"({"items":{}})").status()), "items: expected an array, found an object");
  EXPECT_EQ(Message(DecodeList(R"({"items":[],"metadata":{"resourceVersion":7}})").status()),
            "metadata.resourceVersion: expected a string, found a number");
}

TEST(Watch, ALineHasATypeAndAnObjectAsItCame) {
  auto event = DecodeWatchEvent(samples::kWatchAdded);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kAdded);
  EXPECT_EQ(event->resource_version, "12");
  EXPECT_EQ(event->object,
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"12"},"spec":{}})");
}

TEST(Watch, TheTypeMayFollowTheObject) {
  auto event = DecodeWatchEvent(R"({ "object" : {"metadata":{"resourceVersion":"3"} } , "type":"DELETED" })");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kDeleted);
  EXPECT_EQ(event->resource_version, "3");
  EXPECT_EQ(event->object, R"({"metadata":{"resourceVersion":"3"} })");
  event = DecodeWatchEvent(R"({"type":"MODIFIED","object":{}})");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->type, WatchType::kModified);
}

TEST(Watch, OfTwoObjectsTheLastCounts) {
  auto event =
      DecodeWatchEvent(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"3"}},"object":{"metadata":{}}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->object, R"({"metadata":{}})");
  EXPECT_EQ(event->resource_version, "");
}

TEST(Watch, ABookmarkSaysWhereTheWatchStands) {
  auto event = DecodeWatchEvent(samples::kWatchBookmark);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchType::kBookmark);
  EXPECT_EQ(event->resource_version, "99");
}

TEST(Watch, AnErrorCarriesTheStatus) {
  auto event = DecodeWatchEvent(Concat(R"({"type":"ERROR","object":)", samples::kStatusGone, "}"));
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
    EXPECT_FALSE(DecodeWatchEvent(line).ok()) << line;
  }
  for (size_t length = 0; length < samples::kWatchAdded.size(); ++length) {
    EXPECT_FALSE(DecodeWatchEvent(samples::kWatchAdded.substr(0, length)).ok());
  }
}

TEST(ApiStatus, ReadsCodeReasonAndRetry) {
  auto status = DecodeApiStatus(
      R"({"kind":"Status","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":2}})");
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_FALSE(status->success);
  EXPECT_EQ(status->code, 429);
  EXPECT_EQ(status->reason, "TooManyRequests");
  EXPECT_EQ(status->retry_after_seconds, 2);
  status = DecodeApiStatus(
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201,"details":null})");
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status->success);
  EXPECT_FALSE(status->retry_after_seconds.has_value());
}

TEST(ApiStatus, RefusesOtherKinds) {
  EXPECT_THAT(std::string(Message(DecodeApiStatus(samples::kLease).status())), HasSubstr("not Status"));
  EXPECT_FALSE(DecodeApiStatus(samples::kPod).ok());
  EXPECT_FALSE(DecodeApiStatus("<html>bad gateway</html>").ok());
  EXPECT_FALSE(DecodeApiStatus("").ok());
}

TEST(ObjectMeta, ReadsWhatEveryObjectSaysOfItself) {
  auto meta = DecodeObjectMeta(samples::kLease);
  ASSERT_TRUE(meta.ok()) << meta.status();
  EXPECT_EQ(meta->api_version, "coordination.k8s.io/v1");
  EXPECT_EQ(meta->kind, "Lease");
  EXPECT_EQ(meta->name, "huygens-bind");
  EXPECT_EQ(meta->namespace_name, "kube-system");
  EXPECT_EQ(meta->uid, "uid-lease");
  EXPECT_EQ(meta->resource_version, "77");
  EXPECT_EQ(DecodeObjectMeta("{}")->name, "");
  EXPECT_FALSE(DecodeObjectMeta("null").ok());
}

}  // namespace
}  // namespace huygens::wire
