#include "wire/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

using testing::ElementsAre;
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

}  // namespace
}  // namespace huygens::wire
