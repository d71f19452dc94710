// What the account says of nodes on which pods come and go (account_world.h).
#include "tests/kubelet/account_world.h"

namespace huygens::kubelet::test {
namespace {

class KubeletAccountProperty : public testing::TestWithParam<AccountWorldKind> {};

TEST_P(KubeletAccountProperty, LetsNoPodThroughThatKubeletRefusesAndLosesNothing) {
  AccountWorld::Tally all;
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    AccountWorld world(seed, GetParam());
    for (int step = 0; step < 120 && !HasFailure(); ++step) world.Step();
    world.Settle();
    const AccountWorld::Tally& tally = world.tally();
    all.admitted += tally.admitted;
    all.foreseen += tally.foreseen;
    all.wrong += tally.wrong;
    all.known += tally.known;
    all.settled += tally.settled;
    all.lost += tally.lost;
    all.asked += tally.asked;
    all.refused += tally.refused;
  }
  std::printf("%zu pods let through, the zones of %zu foreseen\n", all.admitted, all.foreseen);
  std::printf("%zu zones known at last, of these %zu wrong\n", all.known, all.wrong);
  std::printf("%zu of %zu nodes with less free than in truth; %zu of %zu pods refused that kubelet takes\n", all.lost,
              all.settled, all.refused, all.asked);
  EXPECT_GT(all.foreseen, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, KubeletAccountProperty,
                         testing::Values(AccountWorldKind{}, AccountWorldKind{.fingerprints = true},
                                         AccountWorldKind{.init_containers = true},
                                         AccountWorldKind{.fingerprints = true, .init_containers = true}),
                         [](const auto& with) {
                           return std::string(with.param.fingerprints ? "WithFingerprints" : "ByTime") +
                                  (with.param.init_containers ? "AndInitContainers" : "");
                         });

}  // namespace
}  // namespace huygens::kubelet::test
