// What finished init containers left behind, which no object shows.
#include <gtest/gtest.h>

#include "kubelet/account.h"
#include "tests/kubelet/node.h"

namespace huygens::kubelet {
namespace {

using test::BoundPod;
using test::Fingerprint;
using test::Gi;
using test::GuaranteedPod;
using test::Object;

constexpr NodeIndex kNode = 0;
const Time kStart = Time(std::chrono::hours(24 * 365 * 56));

int FreeCpus(const Account& account, size_t zone) { return account.Free(kNode).zones[zone].cpu_free; }

cluster::PlacedPod Placed(std::shared_ptr<const cluster::Pod> pod, std::vector<cluster::ZoneAmount> zones = {}) {
  return {std::move(pod), kNode, std::move(zones)};
}

TEST(AccountOfInitContainers, ChargesWhatExportersDoNotShowOfInitContainers) {
  Account account(Defaults());
  auto object = Object({{6, 15}, {8, 16}});  // of the pod only the app container
  account.NodeChanged(kNode, &object);
  auto pod = GuaranteedPod("a", {{2, 1}});
  pod->init_containers.push_back(GuaranteedPod("", {{5, 1}})->containers[0]);
  account.Place(Placed(BoundPod(*pod, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}, kStart)));
  EXPECT_EQ(FreeCpus(account, 0), 3);
}

// Of CPUs that are free as a whole core and as half of one kubelet gives an init container of 1 the half and a container
// of 2 the core, and keeps both.
TEST(AccountOfInitContainers, ChargesAllThatInitContainersLeftNotOnlyWhatTheyHadMore) {
  Account account(Defaults());
  auto object = Object({{5, 13}, {8, 16}});
  account.NodeChanged(kNode, &object);
  auto pod = GuaranteedPod("a", {{2, 1}});
  pod->init_containers = GuaranteedPod("", {{1, 1}})->containers;
  const auto zones = account.PredictZones(kNode, RequestOf(*pod));
  ASSERT_EQ(zones, (std::vector<cluster::ZoneAmount>{{0, {{kCpu, 3000}, {kMemory, Gi}}}}));
  account.Place(Placed(BoundPod(*pod, zones, kStart)));
  auto containing = Object({{3, 12}, {8, 16}});
  account.NodeChanged(kNode, &containing);
  EXPECT_EQ(FreeCpus(account, 0), 2);
  EXPECT_EQ(FreeCpus(account, 1), 8);
}

// A pod whose init container left 3 CPUs, and which another pod left behind in doubt of where it is.
class AccountWithADoubtfulPod : public testing::Test {
 protected:
  AccountWithADoubtfulPod() {
    Publish({{8, 16}, {8, 16}}, {});
    leaver = GuaranteedPod("leaver", {{5, 1}});
    pod = GuaranteedPod("pod", {{2, 1}});
    pod->init_containers = GuaranteedPod("", {{5, 1}})->containers;
    account.Place(Placed(leaver, Zones(0, 5)));
    account.Place(Placed(BoundPod(*pod, Zones(1, 5))));
    account.Leave(Placed(leaver));
    Publish({{8, 16}, {8, 16}}, {});
    EXPECT_EQ(FreeCpus(account, 0), 1) << "nobody knows where it is";
    EXPECT_EQ(FreeCpus(account, 1), 1);
    Replace(BoundPod(*pod, Zones(1, 5)), BoundPod(*pod, Zones(1, 5), kStart));
  }

  static std::vector<cluster::ZoneAmount> Zones(int zone, int64_t cpus) {
    return {{zone, {{kCpu, cpus * 1000}, {kMemory, Gi}}}};
  }
  void Replace(const std::shared_ptr<cluster::Pod>& before, const std::shared_ptr<cluster::Pod>& after) {
    account.Leave(Placed(before));
    account.Place(Placed(after));
  }
  void Publish(const std::vector<std::pair<int64_t, int64_t>>& available, const std::vector<std::string>& pods) {
    object = Object(available, "single-numa-node", "pod");
    object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint(pods));
    account.NodeChanged(kNode, &object);
  }

  Account account{Defaults()};
  cluster::NodeTopology object;
  std::shared_ptr<cluster::Pod> leaver, pod;
};

TEST_F(AccountWithADoubtfulPod, ChargesWhatItLeftWhereItsOtherCpusAre) {
  Publish({{6, 15}, {8, 16}}, {"pod"});
  EXPECT_EQ(FreeCpus(account, 0), 3);
  EXPECT_EQ(FreeCpus(account, 1), 8) << "it is in zone 0";
}

TEST_F(AccountWithADoubtfulPod, RemembersWhatAnObjectTold) {
  Publish({{8, 16}, {6, 15}}, {"pod"});
  account.Place(Placed(BoundPod(*GuaranteedPod("other", {{2, 1}}), {}, kStart)));
  Publish({{6, 15}, {6, 15}}, {"pod", "other"});
  EXPECT_EQ(FreeCpus(account, 0), 6) << "which of the two is where this object does not tell";
  EXPECT_EQ(FreeCpus(account, 1), 3);
}

TEST_F(AccountWithADoubtfulPod, ChargesItEverywhereWhereTheObjectLeavesItOpen) {
  account.Place(Placed(BoundPod(*GuaranteedPod("other", {{2, 1}}), {}, kStart)));
  Publish({{6, 15}, {6, 15}}, {"pod", "other"});
  EXPECT_EQ(FreeCpus(account, 0), 3);
  EXPECT_EQ(FreeCpus(account, 1), 3);
}

TEST_F(AccountWithADoubtfulPod, LearnsNothingFromFiguresThatAreNotThoseOfThePods) {
  Publish({{5, 15}, {8, 16}}, {"pod"});
  EXPECT_EQ(FreeCpus(account, 0), 2);
  EXPECT_EQ(FreeCpus(account, 1), 5);
}

TEST_F(AccountWithADoubtfulPod, DoesNotTakeWhatItLeftForFreeNorForInUse) {
  account.Place(Placed(BoundPod(*GuaranteedPod("other", {{2, 1}}), {}, kStart)));
  Publish({{6, 15}, {6, 15}}, {"pod", "other"});
  const auto zones_of = [&](int64_t cpus) {
    return account.PredictZones(kNode, RequestOf(*GuaranteedPod("new", {{cpus, 1}})));
  };
  EXPECT_EQ(zones_of(3), Zones(0, 3)) << "the lowest zone has so many in any case";
  EXPECT_TRUE(account.Predict(kNode, RequestOf(*GuaranteedPod("new", {{3, 1}}))).Admitted());
  EXPECT_FALSE(account.Predict(kNode, RequestOf(*GuaranteedPod("new", {{4, 1}}))).Admitted());
}

TEST(AccountOfInitContainers, BelievesTheObjectBeforeAPredictionThatItContradicts) {
  Account account(Defaults());
  auto object = Object({{8, 16}, {6, 15}}, "single-numa-node", "pod");
  auto pod = GuaranteedPod("a", {{2, 1}});
  pod->init_containers = GuaranteedPod("", {{5, 1}})->containers;
  account.NodeChanged(kNode, &object);
  account.Place(Placed(BoundPod(*pod, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}, kStart)));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 3);
}

}  // namespace
}  // namespace huygens::kubelet
