// States with hot machines, put right by the planner of moves. The judge is replay/machine_use.h, which knows the raw data
// and nothing of huygens.
#include "replay/rebalance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace huygens::replay {
namespace {

using testing::HasSubstr;

class RebalanceOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string folder = Concat(HUYGENS_SHARED_DATA, "/rebalance/small-", GetParam());
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
    StatusOr<RebalanceState> state = ReadRebalanceState(folder, "");
    ASSERT_TRUE(state.ok()) << state.status();
    state_ = *std::move(state);
    bound_ = FewestMoves(state_, MachineUse(state_), true);
  }
  // Whatever the pace: nobody is moved twice, no machine is made hot, only the hopeless stay hot, and few moves do it.
  void Holds(const RebalanceOutcome& outcome, double most) const {
    EXPECT_LE(static_cast<double>(outcome.moves), most * static_cast<double>(bound_.moves) + 3);
    EXPECT_EQ(outcome.moved_twice, 0u);
    EXPECT_EQ(outcome.made_hot, 0u);
    EXPECT_EQ(outcome.rules_broken, 0u);
    EXPECT_LE(outcome.hot_left, bound_.hopeless);
    size_t told = 0;
    for (const auto& [reason, count] : outcome.stuck) told += count;
    EXPECT_EQ(told, outcome.hot_left) << "each has a reason";
  }

  RebalanceState state_;
  Bound bound_;
};

TEST_P(RebalanceOf, IsCooledByFewMoves) {
  const auto outcome = RunRebalance(state_, nullptr);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  Holds(*outcome, 1.10);
}

TEST_P(RebalanceOf, IsCooledByAsFewUnderTheDefaultLimits) {
  const rescheduling::LimitOptions limits;
  const auto outcome = RunRebalance(state_, &limits);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  Holds(*outcome, 1.15);
}

TEST_P(RebalanceOf, ComesToWhatTheRawDataSaysOfItsAssignment) {
  ASSERT_TRUE(RunRebalance(state_, nullptr).ok());
  const MachineUse anew(state_);
  for (uint32_t m = 0; m < state_.trace.machines.size(); ++m) {
    if (anew.IsHot(m)) {
      EXPECT_GT(bound_.hopeless, 0u) << m;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, RebalanceOf, testing::Values("deploy", "trough", "dense", "growth", "ceiling", "tight"),
                         [](const auto& info) { return std::string(info.param); });

// A complete state of one machine and one instance; tests spoil one file of it.
class OddFolder : public testing::Test {
 protected:
  OddFolder()
      : folder_(testing::TempDir() + "/rebalance-" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
    Write("scenario.json", R"({"scenario":"odd","ceiling":{"cpu":0.8}})");
    Write("app_resources.csv.gz", "app_1,1,1,1,1,1,1\n");
    Write("machine_resources.csv.gz", "machine_1,10,10,10,10,10,10\n");
    Write("instance_deploy.csv.gz", "inst_1,app_1,machine_1\n");
    Write("app_interference.csv.gz", "app_1,app_1,2\n");
  }
  ~OddFolder() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }
  std::string Fault() const {
    const auto state = ReadRebalanceState(folder_, folder_);
    return state.ok() ? "" : std::string(Message(state.status()));
  }
  const std::string folder_;
};

TEST_F(OddFolder, AStateThatIsCompleteIsRead) { EXPECT_EQ(Fault(), ""); }

TEST_F(OddFolder, NoFolderAndNoScenarioAreSaid) {
  EXPECT_THAT(std::string(Message(ReadRebalanceState("/nowhere", "").status())),
              HasSubstr("there is no folder /nowhere"));
  std::filesystem::remove(folder_ + "/scenario.json");
  EXPECT_THAT(Fault(), HasSubstr("scenario.json"));
}

TEST_F(OddFolder, AScenarioThatMakesNoSenseIsRefused) {
  for (const char* text : {"", "{", "[]", R"({"ceiling":{"cpu":"high"}})", R"({"ceiling":{"cpu":0}})",
                           R"({"ceiling":{"cpu":1.5}})", R"({"ceiling":{}})"}) {
    Write("scenario.json", text);
    EXPECT_THAT(Fault(), HasSubstr("scenario.json")) << text;
  }
}

TEST_F(OddFolder, LinesThatMakeNoSenseAreNamed) {
  const struct {
    const char *file, *text;
  } odd[] = {
      {"app_resources.csv.gz", "app_1,1,1,1,1,1\n"},    {"app_resources.csv.gz", "app_1,nan,1,1,1,1,1\n"},
      {"app_resources.csv.gz", "app_1,-1,1,1,1,1,1\n"}, {"app_resources.csv.gz", "app_1,1|2|3,1,1,1,1,1\n"},
      {"app_resources.csv.gz", "app_1,1x,1,1,1,1,1\n"}, {"machine_resources.csv.gz", "machine_1,inf,10,10,10,10,10\n"},
      {"machine_resources.csv.gz", "machine_1,10\n"},   {"instance_deploy.csv.gz", "inst_1,app_2,machine_1\n"},
      {"app_interference.csv.gz", "app_1,app_1,-1\n"}};
  for (const auto& [file, text] : odd) {
    const std::string path = folder_ + "/" + file;
    const std::string kept = Concat(path, ".kept");
    std::filesystem::copy_file(path, kept, std::filesystem::copy_options::overwrite_existing);
    Write(file, text);
    EXPECT_THAT(Fault(), HasSubstr(Concat(file, ":1 cannot be understood"))) << text;
    std::filesystem::rename(kept, path);
  }
}

TEST_F(OddFolder, MachinesThatAreNotThereAndClustersWithoutPodsAreSaid) {
  Write("instance_deploy.csv.gz", "inst_1,app_1,machine_2\n");
  EXPECT_THAT(Fault(), HasSubstr("names the machine machine_2"));
  Write("instance_deploy.csv.gz", "inst_1,app_1,\n");
  EXPECT_THAT(Fault(), HasSubstr("no instance on any machine"));
  Write("instance_deploy.csv.gz", "inst_1,app_1,machine_1\n");
  Write("machine_resources.csv.gz", "machine_1,1,1,1,1,1,1\nmachine_1,1,1,1,1,1,1\n");
  EXPECT_THAT(Fault(), HasSubstr("names machine_1 twice"));
  std::filesystem::remove(folder_ + "/machine_resources.csv.gz");
  EXPECT_THAT(Fault(), HasSubstr("machine_resources.csv.gz"));
}

TEST_F(OddFolder, WhatIsLaidOverATraceHasToMatchIt) {
  Write("start.txt.gz", "1\n");
  Write("machines.txt.gz", "1\n");
  EXPECT_EQ(Fault(), "");
  Write("start.txt.gz", "1\n1\n");
  EXPECT_THAT(Fault(), HasSubstr("start.txt.gz:2"));
  Write("start.txt.gz", "2\n");
  EXPECT_THAT(Fault(), HasSubstr("start.txt.gz:1"));
  Write("start.txt.gz", "");
  EXPECT_THAT(Fault(), HasSubstr("0 lines for the 1 instances"));
  Write("start.txt.gz", "1\n");
  Write("machines.txt.gz", "0\n");
  EXPECT_THAT(Fault(), HasSubstr("machines.txt.gz:1"));
  Write("machines.txt.gz", "1\n");
  Write("growth.csv.gz", "app_2,2\n");
  EXPECT_THAT(Fault(), HasSubstr("growth.csv.gz:1"));
  Write("growth.csv.gz", "app_1,-2\n");
  EXPECT_THAT(Fault(), HasSubstr("growth.csv.gz:1"));
}

}  // namespace
}  // namespace huygens::replay
