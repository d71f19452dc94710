#include "controller/transfer_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/api_server.h"

namespace huygens::controller {
namespace {

using std::chrono::seconds;
using Phase = cluster::QuotaTransfer::Phase;

class TransferCallsTest : public testing::Test {
 protected:
  TransferCallsTest() {
    server_.Put(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"QuotaTransfer","metadata":{"name":"t",)"
                R"("finalizers":["of/another"]},"spec":{"from":"a","to":"b","amounts":{"limits.cpu":"2"}}})");
  }
  cluster::QuotaTransfer Read() { return ReadTransfer(*client_, "t", seconds(5)).value(); }

  fake::ApiServer server_;
  const std::unique_ptr<net::Client> client_ = *net::Client::Create(server_.Options());
};

TEST_F(TransferCallsTest, WritesTheStatusAlone) {
  cluster::QuotaTransfer transfer = Read();
  transfer.phase = Phase::kMoving;
  transfer.shrinking = {"a"};
  transfer.common = "org";
  transfer.from = "somebody";
  const auto stored = WriteTransferStatus(*client_, transfer, seconds(5));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->phase, Phase::kMoving);
  EXPECT_THAT(Read().shrinking, testing::ElementsAre("a"));
  EXPECT_EQ(Read().from, "a");
  EXPECT_TRUE(absl::IsAborted(WriteTransferStatus(*client_, transfer, seconds(5)).status()));
}

TEST_F(TransferCallsTest, WritesItsFinalizerBesideThoseOfOthers) {
  cluster::QuotaTransfer transfer = Read();
  transfer.finalizer = true;
  const auto stored = WriteTransferFinalizers(*client_, transfer, seconds(5));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_TRUE(stored->finalizer);
  EXPECT_THAT(Read().other_finalizers, testing::ElementsAre("of/another"));
  EXPECT_TRUE(absl::IsAborted(WriteTransferFinalizers(*client_, transfer, seconds(5)).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadTransfer(*client_, "nobody", seconds(5)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadTransfer(*client_, "../pods", seconds(5)).status()));
}

}  // namespace
}  // namespace huygens::controller
