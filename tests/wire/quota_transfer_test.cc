#include "wire/quota_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/json/mutation.h"
#include "tests/wire/samples.h"
#include "wire/biz_group_quota.h"
#include "wire/biz_group_schema.h"

namespace huygens::wire {
namespace {

using cluster::QuotaTransfer;
using Phase = QuotaTransfer::Phase;
using testing::ElementsAre;
using testing::HasSubstr;

QuotaTransfer Decode(std::string_view json) {
  auto transfer = DecodeQuotaTransfer(json);
  EXPECT_TRUE(transfer.ok()) << transfer.status();
  return transfer.ok() ? *std::move(transfer) : QuotaTransfer();
}

TEST(QuotaTransfer, IsRead) {
  const QuotaTransfer transfer = Decode(samples::kQuotaTransfer);
  EXPECT_EQ(transfer.name, "ranking-ads-x7k2p");
  EXPECT_EQ(transfer.uid, "uid-transfer");
  EXPECT_EQ(transfer.resource_version, "7");
  EXPECT_TRUE(transfer.finalizer);
  EXPECT_FALSE(transfer.deleting);
  EXPECT_THAT(transfer.other_finalizers, ElementsAre("example.com/keep"));
  EXPECT_EQ(transfer.from, "ranking");
  EXPECT_EQ(transfer.to, "ads");
  ASSERT_EQ(transfer.amounts.size(), 2u);
  EXPECT_EQ(transfer.amounts[0].first, "limits.cpu");
  EXPECT_EQ(transfer.amounts[0].second.Canonical(), "20");
  ASSERT_TRUE(transfer.until);
  EXPECT_EQ(FormatRfc3339(*transfer.until), "2026-12-31T00:00:00Z");
  EXPECT_EQ(transfer.phase, Phase::kMoving);
  EXPECT_EQ(transfer.common, "org");
  EXPECT_THAT(transfer.shrinking, ElementsAre("ranking", "search"));
  EXPECT_THAT(transfer.growing, ElementsAre("ads"));
  EXPECT_EQ(transfer.message, "wait");
}

TEST(QuotaTransfer, WhatIsWrittenIsReadAsItWas) {
  const QuotaTransfer transfer = Decode(samples::kQuotaTransfer);
  const QuotaTransfer status = Decode(EncodeTransferStatus(transfer));
  EXPECT_EQ(status.uid, transfer.uid);
  EXPECT_EQ(status.resource_version, transfer.resource_version);
  EXPECT_EQ(status.phase, transfer.phase);
  EXPECT_EQ(status.message, transfer.message);
  EXPECT_EQ(status.common, transfer.common);
  EXPECT_EQ(status.shrinking, transfer.shrinking);
  EXPECT_EQ(status.growing, transfer.growing);
  const QuotaTransfer made = Decode(EncodeQuotaTransfer(transfer));
  EXPECT_EQ(made.from, transfer.from);
  EXPECT_EQ(made.to, transfer.to);
  EXPECT_EQ(made.amounts, transfer.amounts);
  EXPECT_EQ(made.until, transfer.until);
  for (const Phase phase : {Phase::kPending, Phase::kMoving, Phase::kMoved, Phase::kLent, Phase::kOverdue,
                            Phase::kReturning, Phase::kReturned, Phase::kRefused}) {
    QuotaTransfer in_phase = transfer;
    in_phase.phase = phase;
    EXPECT_EQ(Decode(EncodeTransferStatus(in_phase)).phase, phase) << PhaseText(phase);
  }
}

TEST(QuotaTransfer, AnObjectWithoutANameIsNamedByTheApiServer) {
  EXPECT_EQ(EncodeQuotaTransfer({.from = "a", .to = "b"}),
            R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"QuotaTransfer","metadata":{"generateName":"a-b-"},)"
            R"("spec":{"from":"a","to":"b","amounts":{}}})");
}

TEST(QuotaTransfer, FinalizersOfOthersStay) {
  QuotaTransfer transfer = Decode(samples::kQuotaTransfer);
  transfer.finalizer = false;
  EXPECT_EQ(EncodeTransferFinalizers(transfer),
            R"({"metadata":{"uid":"uid-transfer","resourceVersion":"7","finalizers":["example.com/keep"]}})");
  transfer.finalizer = true;
  EXPECT_THAT(EncodeTransferFinalizers(transfer), HasSubstr(R"(["example.com/keep","quota.huygens.dev/transfer"])"));
}

TEST(QuotaTransfer, WhatCannotBeUsedIsADefectByName) {
  for (const auto& [rest, why] : {std::pair(R"("spec":{"amounts":{"cpu":"x"}})", "spec.amounts.cpu: "),
                                  std::pair(R"("spec":{"until":"noon"})", "spec.until: "),
                                  std::pair(R"("status":{"phase":"Flying"})", "there is no Flying")}) {
    const QuotaTransfer transfer = Decode(Concat(R"({"metadata":{"name":"t"},)", rest, "}"));
    EXPECT_EQ(transfer.name, "t");
    EXPECT_THAT(transfer.defect, HasSubstr(why));
  }
  EXPECT_FALSE(DecodeQuotaTransfer("{}").ok());
  EXPECT_FALSE(DecodeQuotaTransfer("[]").ok());
  Mutator(samples::kQuotaTransfer).ForEach([&](Mutation, const std::string& text) {
    const auto transfer = DecodeQuotaTransfer(text);
    EXPECT_TRUE(transfer.ok() || !Message(transfer.status()).empty()) << text;
  });
}

TEST(QuotaTransfer, TheMarkOfAGroupIsWrittenWithItsBudget) {
  cluster::BizGroupQuota group;
  group.uid = "u";
  group.resource_version = "7";
  EXPECT_EQ(
      EncodeBudgetChange(group, {{"limits.cpu", Quantity::FromInt(5)}}, "uid-t", true),
      R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":{"transfer.quota.huygens.dev/uid-t":"moved"}},)"
      R"("spec":{"hard":{"limits.cpu":"5"}}})");
  EXPECT_EQ(
      EncodeBudgetChange(group, {}, "uid-t", false),
      R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":{"transfer.quota.huygens.dev/uid-t":null}}})");
  const auto read = DecodeBizGroupQuota(
      R"({"metadata":{"name":"g","annotations":{"transfer.quota.huygens.dev/uid-t":"moved","a":"b"}}})");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->transfers, ElementsAre("uid-t"));
}

TEST(QuotaTransfer, TheDefinitionHasThePatternsOfGroups) {
  std::stringstream text;
  text << std::ifstream(HUYGENS_SOURCE_DIR "/config/crd/quotatransfers.yaml").rdbuf();
  const std::string definition = text.str();
  EXPECT_THAT(definition, HasSubstr(Concat("key.matches('", kBudgetKeyPattern, "')")));
  EXPECT_THAT(definition, HasSubstr(Concat("pattern: ", kBudgetPattern, "\n")));
  EXPECT_THAT(definition, HasSubstr(Concat("pattern: ", kGroupNamePattern, "\n")));
  for (const Phase phase : {Phase::kPending, Phase::kMoving, Phase::kMoved, Phase::kLent, Phase::kOverdue,
                            Phase::kReturning, Phase::kReturned, Phase::kRefused})
    EXPECT_THAT(definition, HasSubstr(PhaseText(phase)));
}

}  // namespace
}  // namespace huygens::wire
