#include "kube/group_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/fake/api_server.h"

namespace huygens::kube {
namespace {

using std::chrono::seconds;

constexpr char kTeam[] = R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota",
    "metadata":{"name":"team"},"spec":{"hard":{"limits.cpu":"10"}}})";

class GroupStatusTest : public testing::Test {
 protected:
  GroupStatusTest() { server_.Put(kTeam); }
  cluster::BizGroupQuota Read() { return ReadGroup(*client_, "team", seconds(5)).value(); }

  fake::ApiServer server_;
  const std::unique_ptr<net::Client> client_ = *net::Client::Create(server_.Options());
};

TEST_F(GroupStatusTest, WritesTheStatusAndReturnsWhatIsStored) {
  cluster::BizGroupQuota group = Read();
  const std::string before = group.resource_version;
  group.hard.clear();
  group.used = {{"limits.cpu", *Quantity::Parse("1500m")}};
  group.exact_hours = {{"limits.cpu", "3600000"}};
  group.reservations = {{.uid = "u-1",
                         .kind = "Deployment.apps",
                         .namespace_name = "shop",
                         .name = "web",
                         .amounts = group.used,
                         .until = *ParseRfc3339("2026-11-23T10:00:00Z")}};
  const auto stored = WriteGroupStatus(*client_, group, seconds(5));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_NE(stored->resource_version, before);
  EXPECT_EQ(stored->used, group.used);
  EXPECT_EQ(stored->hard.size(), 1U);  // the budget is none of the status
  EXPECT_EQ(stored->reservations, group.reservations);
  EXPECT_EQ(Read().exact_hours, group.exact_hours);
}

TEST_F(GroupStatusTest, SaysWhichFileToApplyWhereTheDefinitionIsOfAnEarlierVersion) {
  server_.DropFromStatus(fake::kBizGroupQuotas, "reservations");
  cluster::BizGroupQuota group = Read();
  group.used = {{"limits.cpu", *Quantity::Parse("2")}};
  group.reservations = {{.uid = "u-1", .kind = "Pod", .namespace_name = "shop", .name = "web", .amounts = group.used}};
  const Status tried = TryGroupStatus(*client_, group, seconds(5));
  EXPECT_TRUE(absl::IsFailedPrecondition(tried)) << tried;
  EXPECT_THAT(std::string(Message(tried)),
              testing::AllOf(testing::HasSubstr("it has no status.reservations"),
                             testing::HasSubstr("kubectl apply -f config/crd/bizgroupresourcequotas.yaml")));
  EXPECT_EQ(Read().resource_version, group.resource_version);  // it was but tried
  EXPECT_TRUE(absl::IsFailedPrecondition(WriteGroupStatus(*client_, group, seconds(5)).status()));
  group = Read();
  group.reservations.clear();
  EXPECT_TRUE(WriteGroupStatus(*client_, group, seconds(5)).ok());
}

TEST_F(GroupStatusTest, TriesAStatusWithoutStoringIt) {
  cluster::BizGroupQuota group = Read();
  group.used = {{"limits.cpu", *Quantity::Parse("2")}};
  EXPECT_TRUE(TryGroupStatus(*client_, group, seconds(5)).ok());
  EXPECT_TRUE(Read().used.empty());
}

TEST_F(GroupStatusTest, WritesSomeOfTheBudgetTogetherWithTheMarkOfATransfer) {
  const cluster::BizGroupQuota before = Read();
  const cluster::QuotaAmounts less = {{"limits.cpu", *Quantity::Parse("4")}};
  const auto moved = WriteGroupBudget(*client_, before, less, "uid-t", true, seconds(5));
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(Read().hard, less);
  EXPECT_THAT(Read().transfers, testing::ElementsAre("uid-t"));
  EXPECT_TRUE(absl::IsAborted(WriteGroupBudget(*client_, before, less, "uid-t", false, seconds(5)).status()));
  ASSERT_TRUE(WriteGroupBudget(*client_, *moved, {}, "uid-t", false, seconds(5)).ok());
  EXPECT_EQ(Read().hard, less);
  EXPECT_THAT(Read().transfers, testing::IsEmpty());
}

TEST_F(GroupStatusTest, TellsConflictsFromOtherFailures) {
  cluster::BizGroupQuota group = Read();
  ASSERT_TRUE(WriteGroupStatus(*client_, group, seconds(5)).ok());
  EXPECT_TRUE(absl::IsAborted(WriteGroupStatus(*client_, group, seconds(5)).status()));
  group = Read();
  group.uid = "of another";
  EXPECT_TRUE(absl::IsAborted(WriteGroupStatus(*client_, group, seconds(5)).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadGroup(*client_, "nobody", seconds(5)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadGroup(*client_, "../pods", seconds(5)).status()));
  server_.Inject({.what = fake::Fault::What::kReply, .method = "GET", .path = "bizgroup", .code = 429});
  const Status busy = ReadGroup(*client_, "team", seconds(5)).status();
  EXPECT_TRUE(absl::IsUnavailable(busy));
  EXPECT_THAT(std::string(Message(busy)), testing::HasSubstr("429"));
  const auto write = [&](int code) {
    server_.Inject({.what = fake::Fault::What::kReply, .method = "PUT", .path = "bizgroup", .code = code});
    return WriteGroupStatus(*client_, Read(), seconds(5)).status();
  };
  for (const int never : {400, 413, 422}) EXPECT_TRUE(absl::IsFailedPrecondition(write(never))) << never;
  EXPECT_TRUE(absl::IsPermissionDenied(write(403)));
  for (const int later : {408, 429, 500}) EXPECT_TRUE(absl::IsUnavailable(write(later))) << later;
}

}  // namespace
}  // namespace huygens::kube
