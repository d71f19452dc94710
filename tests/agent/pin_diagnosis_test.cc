#include "agent/pin_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/pins_drawing.h"
#include "tests/pinner/fake_runtime.h"
#include "tests/pinning/made_node.h"

namespace huygens::agent {
namespace {

using pinner::testing::MadeContainer;
using pinner::testing::MadePod;
using pinner::testing::Result;
using ::testing::HasSubstr;

class PinDiagnosisTest : public ::testing::Test {
 protected:
  PinDiagnosisTest() {
    facts_.machine = pinning::testing::MadeMachine(1, 4, 2);
    facts_.kubelet_policy = "none";
    facts_.nri_socket = "/run/nri.sock";
    facts_.nri_there = true;
    facts_.state->shared = *pinning::ParseSet("0-1,4-7");
  }
  void Runs(std::shared_ptr<runtime::Pod> pod, int cpus, const std::string& on) {
    runtime::Container container = MadeContainer("id", "main", std::move(pod), cpus);
    container.state = runtime::ContainerState::kRunning;
    facts_.containers->push_back({container, runtime::Cpuset{on, "0"}});
  }
  void Owns(const std::string& uid, const std::string& cpus) {
    facts_.state->pods[uid] = pinning::Had({{"main", *pinning::ParseSet(cpus)}});
  }
  void ExpectBad(const std::string& what) const {
    const PinDiagnosis found = Diagnose(facts_);
    EXPECT_FALSE(found.well);
    EXPECT_THAT(found.text, HasSubstr(what));
  }
  void ExpectWell(const std::string& what) const {
    const PinDiagnosis found = Diagnose(facts_);
    EXPECT_TRUE(found.well) << found.text;
    EXPECT_THAT(found.text, HasSubstr(what));
  }

  PinFacts facts_{.state = pinner::KeptState{}, .containers = std::vector<ContainerFacts>()};
};

TEST_F(PinDiagnosisTest, IsContentWithWhoHasHisCpus) {
  Runs(MadePod("a", Result({{0, 2}})), 2, "2-3");
  Owns("a", "2-3");
  ExpectWell("+ default/a main: has CPUs 2-3 (exclusive)");
}

TEST_F(PinDiagnosisTest, TellsThatKubeletPins) {
  facts_.kubelet_policy = "static";
  Runs(MadePod("a", ""), 0, "0-7");
  ExpectBad("cpuManagerPolicy is static");
}

TEST_F(PinDiagnosisTest, TellsThatNobodyGaveThePodZones) {
  Runs(MadePod("a", ""), 2, "0-1,4-7");
  ExpectWell("no annotation topology.crane.io/topology-result");
}

TEST_F(PinDiagnosisTest, TellsThatAnAmountIsNotWhole) {
  Runs(MadePod("a", Result({{0, 2}})), 0, "0-1,4-7");
  ExpectWell("no whole number");
}

TEST_F(PinDiagnosisTest, TellsThatAZoneIsNotThere) {
  Runs(MadePod("a", Result({{5, 2}})), 2, "0-1,4-7");
  ExpectBad("node5, which this machine does not have");
}

TEST_F(PinDiagnosisTest, TellsThatAnUpdateWasLostOrSomebodyElseWrites) {
  Runs(MadePod("a", Result({{0, 2}})), 2, "0-7");
  Owns("a", "2-3");
  ExpectBad("runs on 0-7, but is to have 2-3");
}

TEST_F(PinDiagnosisTest, TellsThatTheAgentGaveNone) {
  Runs(MadePod("a", Result({{0, 2}})), 2, "0-1,4-7");
  ExpectBad("has no CPUs of its own");
}

TEST_F(PinDiagnosisTest, TellsThatCpusAreOffline) {
  std::erase(facts_.machine.online, 3);
  std::erase(facts_.machine.zones[0].cpus, 3);
  Runs(MadePod("a", Result({{0, 2}})), 2, "2");
  Owns("a", "2-3");
  ExpectBad("of its CPUs 3 are offline");
}

TEST_F(PinDiagnosisTest, TellsWhoSharesMoreThanIsToBeShared) {
  Runs(MadePod("a", ""), 0, "0-7");
  ExpectBad("others are to share only 0-1,4-7");
}

TEST_F(PinDiagnosisTest, TellsThatTheRuntimeHasNoNri) {
  facts_.nri_there = false;
  Runs(MadePod("a", ""), 0, "0-1");
  ExpectWell("no NRI at /run/nri.sock");
}

TEST_F(PinDiagnosisTest, TellsThatTheRuntimeTheStateOrThePodIsNotThere) {
  facts_.pod = "default/b";
  Runs(MadePod("a", ""), 0, "0-1");
  ExpectBad("no pod default/b has a running container here");
  facts_.containers = Unavailable("connection refused");
  ExpectBad("connection refused");
  facts_.state = Invalid("f: not JSON");
  ExpectBad("f: not JSON");
  facts_.state = pinner::KeptState{};
  ExpectBad("has pinned nobody yet");
}

TEST(PinsDrawing, SaysWhoSitsWhereAndWhatIsFree) {
  pinner::KeptState kept;
  kept.shared = *pinning::ParseSet("0-3,6-7");
  kept.pods["u"] = pinning::Had({{"main", *pinning::ParseSet("4-5")}});
  kept.names["u"] = "default/web";
  EXPECT_EQ(DrawPins(pinning::testing::MadeMachine(2, 2, 2), kept, "/state"),
            "\npinned by huygens-agent (/state)\n"
            "  CPUs  POD          CONTAINER\n"
            "  4-5   default/web  main\n"
            "  zone 0: 0 of 4 CPUs owned, shared: 0-3\n"
            "  zone 1: 2 of 4 CPUs owned, shared: 6-7\n");
}

}  // namespace
}  // namespace huygens::agent
