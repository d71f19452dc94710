#include "webhook/watched_cluster.h"

#include "net/event_loop.h"
#include "tests/observe/captured_log.h"
#include "tests/webhook/reviews.h"

namespace huygens::webhook {
namespace {

using cluster::Kind;
using testing::HasSubstr;

class WatchedClusterTest : public testing::Test {
 protected:
  void Report(Kind kind, kube::WatchState state) {
    cluster_.WatchChanged({kind, state, Concat("huygens may not read ", Name(kind))});
  }
  void Listed(Kind kind) {
    cluster_.Apply(kind, cluster::ListBegin{kind});
    cluster_.Apply(kind, cluster::ListEnd{kind});
  }

  ResourceNames names_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.workloads = true}};
  informer::FollowedWorkloads workloads_{names_, loop_, captured_.log, metrics_};
  WatchedCluster cluster_{names_, workloads_};
};

TEST_F(WatchedClusterTest, WithoutClassesOfDevicesItDoesWhatConcernsNone) {
  Listed(Kind::kBizGroupQuota);
  EXPECT_THAT(cluster_.NotReady(), HasSubstr(std::string(Name(Kind::kDeviceClass))));
  Report(Kind::kDeviceClass, kube::WatchState::kForbidden);
  EXPECT_THAT(cluster_.NotReady(), testing::Not(HasSubstr(std::string(Name(Kind::kDeviceClass)))));
  EXPECT_THAT(cluster_.facts().classes_hidden, HasSubstr("may not read"));
  Listed(Kind::kDeviceClass);
  EXPECT_EQ(cluster_.facts().classes_hidden, "");
}

TEST_F(WatchedClusterTest, WithoutGroupsItDoesNothing) {
  Listed(Kind::kDeviceClass);
  Report(Kind::kBizGroupQuota, kube::WatchState::kForbidden);
  EXPECT_THAT(cluster_.NotReady(), HasSubstr("may not read"));
}

// Looked up while the watch was down, and deleted before the watch was back.
TEST_F(WatchedClusterTest, AGroupThatNoListNamesIsGoneWhoeverToldOfIt) {
  cluster_.ledger().Set(quota::MakeGroup("looked-up", "", {{"limits.cpu", "1"}}));
  const Kind kind = Kind::kBizGroupQuota;
  cluster_.Apply(kind, cluster::ListBegin{kind});
  cluster_.Apply(kind, cluster::BizGroupQuotaSet{quota::MakeGroup("team", "", {{"limits.cpu", "1"}})});
  cluster_.Apply(kind, cluster::ListEnd{kind});
  EXPECT_EQ(cluster_.ledger().Find("looked-up"), nullptr);
  EXPECT_NE(cluster_.ledger().Find("team"), nullptr);
}

}  // namespace
}  // namespace huygens::webhook
