#include "advances/unwritten.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace huygens::advances {
namespace {

using std::chrono::seconds;

const Time kNow = *ParseRfc3339("2026-11-28T10:00:00Z");

cluster::BizGroupQuota WithReservations(const std::vector<std::string>& uids) {
  cluster::BizGroupQuota group;
  group.reservations.push_back({.uid = "instance", .kind = std::string(cluster::kAdvanceKind)});
  for (const std::string& each : uids) group.reservations.push_back({.uid = each, .kind = "Deployment.apps"});
  return group;
}

void See(Unwritten& unwritten, const cluster::BizGroupQuota& group, const std::vector<std::string>& uids, Time now) {
  const auto each = [&](absl::FunctionRef<void(std::string_view)> tell) {
    for (const std::string& uid : uids) tell(uid);
  };
  unwritten.See(group, each, now);
}

TEST(Unwritten, IsANewObjectOfWhichNothingWasEverReservedForSomeSeconds) {
  Unwritten unwritten;
  See(unwritten, WithReservations({"reserved"}), {"old"}, kNow);
  See(unwritten, WithReservations({}), {"old", "new", "reserved"}, kNow + seconds(1));
  auto written_again = WithReservations({});
  written_again.reservations[0].until = kNow + seconds(90);
  See(unwritten, written_again, {"old", "new", "reserved"}, kNow + seconds(2));
  const Time now = kNow + seconds(2);
  EXPECT_EQ(unwritten.Until("new", now), kNow + seconds(4));
  EXPECT_EQ(unwritten.Until("new", kNow + seconds(4)), std::nullopt);
  EXPECT_EQ(unwritten.Until("old", now), std::nullopt) << "it was there before";
  EXPECT_EQ(unwritten.Until("reserved", now), std::nullopt) << "its reservation was there, and was settled";
  EXPECT_EQ(unwritten.Until("unseen", now), std::nullopt);
}

TEST(Unwritten, IsSoForAsLongAsTheAdvanceOfAnInstanceThatIsGoneStands) {
  Unwritten unwritten;
  auto group = WithReservations({});
  group.reservations[0].until = kNow + seconds(90);
  See(unwritten, group, {}, kNow);
  See(unwritten, group, {"new"}, kNow + seconds(1));
  See(unwritten, group, {"new"}, kNow + seconds(20));
  EXPECT_EQ(unwritten.Until("new", kNow + seconds(20)), kNow + seconds(90));
  group.reservations[0].until = kNow + seconds(110);  // it is there, and would have written it
  See(unwritten, group, {"new"}, kNow + seconds(21));
  EXPECT_EQ(unwritten.Until("new", kNow + seconds(21)), std::nullopt);
}

TEST(Unwritten, ThereIsNoneWithoutAnAdvance) {
  Unwritten unwritten;
  See(unwritten, {}, {"old"}, kNow);
  See(unwritten, {}, {"old", "new"}, kNow);
  EXPECT_EQ(unwritten.Until("new", kNow), std::nullopt);
  EXPECT_FALSE(unwritten.near());
  See(unwritten, WithReservations({}), {"old", "new"}, kNow);
  EXPECT_TRUE(unwritten.near());
  See(unwritten, {}, {"old", "new"}, kNow);
  EXPECT_TRUE(unwritten.near()) << "it stood in the count before";
  See(unwritten, {}, {"old", "new"}, kNow);
  EXPECT_FALSE(unwritten.near());
}

}  // namespace
}  // namespace huygens::advances
