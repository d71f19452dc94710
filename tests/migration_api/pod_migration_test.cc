#include "migration_api/pod_migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"

namespace huygens::migration_api {
namespace {

using testing::HasSubstr;

PodMigration Sample() {
  PodMigration move;
  move.name = NameFor("0a");
  move.namespace_name = "shop";
  move.uid = "1b";
  move.resource_version = "7";
  move.created = *ParseRfc3339("2026-03-02T10:00:00Z");
  move.spec = {.pod = {"cart-x", "0a"},
               .owner = {"ReplicaSet", "cart-7d", "2c"},
               .workload = "shop/Deployment/cart",
               .template_hash = "7d",
               .group = "team",
               .source = "n1",
               .target = "n2",
               .cause = "ceiling",
               .why = "cpu above its ceiling",
               .replicas = 3,
               .grace_seconds = 30};
  move.status = {.phase = Phase::kEvicted,
                 .reason = "Evicted",
                 .since = *ParseRfc3339("2026-03-02T10:00:01Z"),
                 .evicted_at = *ParseRfc3339("2026-03-02T10:00:01Z"),
                 .replacement = Replacement{"cart-y", "3d", ""},
                 .attempts = 2};
  return move;
}

TEST(PodMigration, ComesBackAsItWasWritten) {
  const auto read = Decode(Encode(Sample()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, Sample());
}

TEST(PodMigration, IsReservedWhereItWasJustCreated) {
  const auto read = Decode(R"({"metadata":{"name":"move-a","namespace":"x"},"spec":{"pod":{"name":"a","uid":"a"}}})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->status.phase, Phase::kReserved);
  EXPECT_EQ(read->status.attempts, 1);
}

TEST(PodMigration, SaysWhatIsWrongWithIt) {
  const auto fault = [](std::string_view json) { return std::string(Message(Decode(json).status())); };
  EXPECT_THAT(fault("{}"), HasSubstr("metadata.name is missing"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"}})"), HasSubstr("spec.pod.uid is missing"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"},"spec":{"pod":{"uid":"a"}},"status":{"phase":"Gone"}})"),
              HasSubstr("there is no Gone"));
  EXPECT_THAT(fault(R"({"metadata":{"name":3}})"), HasSubstr("metadata.name"));
}

TEST(PodMigration, APatchOfItsStatusForgetsWhatIsNotSet) {
  State status;
  EXPECT_THAT(EncodeStatusPatch(status), HasSubstr("\"replacement\":null"));
  EXPECT_THAT(EncodeStatusPatch(status), HasSubstr("\"phase\":\"Reserved\""));
  EXPECT_THAT(EncodeStatusPatch(status), HasSubstr("\"evictedAt\":null"));
  const std::string set = EncodeStatusPatch(Sample().status);
  EXPECT_THAT(set, HasSubstr("\"uid\":\"3d\""));
  EXPECT_THAT(set, testing::Not(HasSubstr("\"replacement\":null")));
  EXPECT_TRUE(JsonReader::Check(set).ok());
}

TEST(PodMigration, AListKeepsWhatCanBeRead) {
  const auto page = DecodePage(
      R"({"metadata":{"continue":"t"},"items":[{"metadata":{"name":"move-a"},"spec":{"pod":{"uid":"a"}}},{"metadata":{}}]})");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->unreadable, 1);
  EXPECT_EQ(page->more, "t");
}

}  // namespace
}  // namespace huygens::migration_api
