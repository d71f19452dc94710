#include "wire/quota_reservations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "wire/biz_group_quota.h"

namespace huygens::wire {
namespace {

using cluster::BizGroupQuota;

BizGroupQuota WithReservations() {
  BizGroupQuota group;
  group.name = "team";
  group.reservations_as_text = true;
  group.reservations = {
      {"uid-1",
       "Deployment.apps",
       "shop",
       "web",
       {{"limits.cpu", Quantity::FromInt(2)}, {"requests.nvidia.com/gpu", Quantity::Parse("500m").value()}},
       Time(std::chrono::hours(1))},
      {"uid-2", std::string(cluster::kGroupKind), "", "child", {}, Time()}};
  return group;
}

BizGroupQuota Decode(std::string_view reservations, Status* fault = nullptr) {
  auto group = DecodeBizGroupQuota(
      Concat(R"({"metadata":{"name":"team"},"status":{"used":{"cpu":"1"},"reservations":)", reservations, "}}"), fault);
  EXPECT_TRUE(group.ok()) << group.status();
  return group.ok() ? *std::move(group) : BizGroupQuota();
}

TEST(QuotaReservations, AreALineEach) {
  std::string json;
  AppendReservations(json, WithReservations());
  EXPECT_EQ(
      json,
      R"("reservations":"Deployment.apps shop/web limits.cpu=2,requests.nvidia.com/gpu=500m 1970-01-01T01:00:00Z uid-1\n)"
      R"(BizGroupResourceQuota.quota.huygens.dev child  1970-01-01T00:00:00Z uid-2\n")");
}

TEST(QuotaReservations, DoNotRepeatWhatIsAsInTheLineAbove) {
  BizGroupQuota group;
  group.reservations_as_text = true;
  const cluster::QuotaReservation web = WithReservations().reservations[0];
  group.reservations = {web, web, web};
  group.reservations[1].name = "db";
  group.reservations[2].namespace_name = "lab";
  group.reservations[2].uid = "uid-3";
  std::string json;
  AppendReservations(json, group);
  EXPECT_EQ(
      json,
      R"("reservations":"Deployment.apps shop/web limits.cpu=2,requests.nvidia.com/gpu=500m 1970-01-01T01:00:00Z uid-1\n)"
      R"(= =/db = = uid-1\n= lab/web = = uid-3\n")");
  EXPECT_EQ(Decode(json.substr(json.find(':') + 1)).reservations, group.reservations);
}

TEST(QuotaReservations, AreReadAsTheyWereWrittenInEitherForm) {
  for (const bool text : {true, false}) {
    BizGroupQuota group = WithReservations();
    group.reservations_as_text = text;
    for (int left = 2; left >= 0; --left) {
      const auto read = DecodeBizGroupQuota(EncodeBizGroupStatus(group));
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(read->reservations, group.reservations);
      EXPECT_EQ(read->reservations_as_text, text) << "whoever writes a charge keeps the form, of none, too";
      if (left > 0) group.reservations.pop_back();
    }
  }
}

TEST(QuotaReservations, OfAListOfEarlierVersionsAreRead) {
  const auto group = Decode(
      R"([{"uid":"uid-1","kind":"Deployment.apps","namespace":"shop","name":"web","amounts":{"limits.cpu":"2","requests.nvidia.com/gpu":"500m"},)"
      R"("until":"1970-01-01T01:00:00Z"},)"
      R"({"uid":"uid-2","kind":"BizGroupResourceQuota.quota.huygens.dev","name":"child","amounts":{},"until":"1970-01-01T00:00:00Z"}])");
  EXPECT_EQ(group.reservations, WithReservations().reservations);
  EXPECT_FALSE(group.reservations_as_text);
}

TEST(QuotaReservations, WhereThereAreNoneTheFormIsThatOfEarlierVersions) {
  EXPECT_FALSE(Decode("null").reservations_as_text);
  EXPECT_FALSE(Decode("[]").reservations_as_text);
  EXPECT_TRUE(Decode(R"("")").reservations_as_text);
}

TEST(QuotaReservations, AFaultSaysWhichLine) {
  const std::string good = R"(Pod shop/a  1970-01-01T00:00:00Z uid\n)";
  for (const auto& [line, why] :
       {std::pair("Pod shop/a  1970-01-01T00:00:00Z", "expected kind, name, amounts, time and UID"),
        std::pair("Pod shop/a  1970-01-01T00:00:00Z uid more", "expected kind, name, amounts, time and UID"),
        std::pair("", "expected kind, name, amounts, time and UID"),
        std::pair("Pod shop/a limits.cpu=x 1970-01-01T00:00:00Z uid", "limits.cpu: "),
        std::pair("Pod shop/a limits.cpu 1970-01-01T00:00:00Z uid", "limits.cpu: "),
        std::pair("Pod shop/a  noon uid", "")}) {
    Status fault;
    const auto group = Decode(Concat("\"", good, line, "\\n", good, "\""), &fault);
    EXPECT_THAT(Message(fault), testing::StartsWith(Concat("status.reservations: line 2: ", why))) << line;
    EXPECT_TRUE(group.used.empty() && group.reservations.empty()) << "all of the status is unknown";
    EXPECT_FALSE(group.reservations_as_text);
  }
  Status fault;
  Decode("7", &fault);
  EXPECT_THAT(Message(fault), testing::StartsWith("status.reservations: expected"));
}

// Who forges a review chooses the texts of a reservation.
RC_GTEST_PROP(QuotaReservationsProperty, AnyTextsAreReadAsTheyWereWritten, ()) {
  const auto text = [] {
    return *rc::gen::container<std::string>(rc::gen::oneOf(
        rc::gen::element(' ', '\n', '/', ',', '=', '%', '2', '0', 'F', '\0'), rc::gen::inRange<char>(1, 127)));
  };
  BizGroupQuota group;
  group.name = "team";
  group.reservations_as_text = true;
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    cluster::QuotaReservation each{text(), text(), text(),
                                   text(), {},     Time(std::chrono::seconds(*rc::gen::inRange(0, 1 << 30)))};
    const std::string key = text();
    each.amounts = {{key, Quantity::FromInt(1)}, {key + "z", Quantity::FromInt(2)}};
    if (i > 0) {
      const auto& above = group.reservations.back();
      if (*rc::gen::arbitrary<bool>()) each.kind = above.kind;
      if (*rc::gen::arbitrary<bool>()) each.namespace_name = above.namespace_name;
      if (*rc::gen::arbitrary<bool>()) each.amounts = above.amounts;
      if (*rc::gen::arbitrary<bool>()) each.until = above.until;
    }
    group.reservations.push_back(std::move(each));
  }
  const auto read = DecodeBizGroupQuota(EncodeBizGroupStatus(group));
  RC_ASSERT(read.ok());
  RC_ASSERT(read->reservations == group.reservations);
}

}  // namespace
}  // namespace huygens::wire
