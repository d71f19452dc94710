#include "webhook/api_status_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/event_loop.h"
#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"
#include "webhook/group_commit.h"

namespace huygens::webhook {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

constexpr char kTeam[] = R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota",
    "metadata":{"name":"team"},"spec":{"hard":{"limits.cpu":"10"}}})";

class ApiStatusStoreTest : public testing::Test {
 protected:
  ApiStatusStoreTest() {
    server_.Put(kTeam);
    EXPECT_TRUE(calls_.Start(server_.Options(), 1).ok());
  }
  ~ApiStatusStoreTest() override { calls_.Stop(); }

  StatusOr<cluster::BizGroupQuota> Read() {
    return Wait([&](StatusStore::Done done) { store_.Read("team", seconds(5), std::move(done)); });
  }
  // With a core and a reservation of it.
  StatusOr<cluster::BizGroupQuota> Charge() {
    cluster::BizGroupQuota group = *Read();
    group.used = {{"limits.cpu", Quantity::FromInt(1)}};
    group.reservations = {
        {.uid = "u-1", .kind = "Deployment.apps", .namespace_name = "shop", .name = "web", .amounts = group.used}};
    return Wait([&](StatusStore::Done done) { store_.Write(group, seconds(5), std::move(done)); });
  }

  fake::ApiServer server_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  kube::CallPool calls_{loop_};
  ApiStatusStore store_{calls_, captured_.log, captured_.clock};

 private:
  StatusOr<cluster::BizGroupQuota> Wait(const std::function<void(StatusStore::Done)>& call) {
    std::optional<StatusOr<cluster::BizGroupQuota>> answer;
    call([&](StatusOr<cluster::BizGroupQuota> said) { answer = std::move(said); });
    while (!answer) loop_.Poll();
    return *std::move(answer);
  }
};

TEST_F(ApiStatusStoreTest, WritesWhatTheApiServerKeepsWhole) {
  const auto stored = Charge();
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->reservations.size(), 1U);
  EXPECT_EQ(Read()->used, stored->used);
}

// Else the figures would rise by each creation that is refused.
TEST_F(ApiStatusStoreTest, WritesNothingWhereTheDefinitionHasNoReservationsAndSaysWhatToApply) {
  server_.DropFromStatus(fake::kBizGroupQuotas, "reservations");
  const auto stored = Charge();
  EXPECT_TRUE(absl::IsFailedPrecondition(stored.status())) << stored.status();
  EXPECT_TRUE(Read()->used.empty());
  EXPECT_THAT(captured_.Lines(), Contains(HasSubstr("kubectl apply -f config/crd/bizgroupresourcequotas.yaml")));
}

}  // namespace
}  // namespace huygens::webhook
