// `huygens-agent show`: the drawing of a machine, and the program as a process.
#include "agent/show_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "pinner/state_store.h"
#include "tests/machine/made_machine.h"

namespace huygens::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ShowTest : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string out, err;
  };
  Outcome Run(const std::string& arguments) const {
    const std::string out = files_.File("out"), err = files_.File("err");
    const int status =
        std::system(Concat(HUYGENS_AGENT_BINARY " ", arguments, " >", out, " 2>", err).c_str());  // NOLINT: a shell
    std::ostringstream text, errors;
    text << std::ifstream(out).rdbuf();
    errors << std::ifstream(err).rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str(), errors.str()};
  }
  const machine::testing::MadeMachine made_;
  const fake::TemporaryDirectory files_;
};

TEST_F(ShowTest, DrawsZonesCoresCachesMemoryAndDistances) {
  made_.TwoZones();
  made_.Node(4, {}, 3 << 20, "31 17 10");
  made_.OfNode(0, "distance", "10 21 31\n");
  made_.OfNode(1, "distance", "21 10 17\n");
  made_.OfNode(1, "hugepages/hugepages-2048kB/nr_hugepages", "12\n");
  made_.OfNode(1, "hugepages/hugepages-2048kB/free_hugepages", "5\n");
  made_.OfCpu(1, "cache/index3/level", "3\n");
  made_.OfCpu(1, "cache/index3/size", "32768K\n");
  made_.OfCpu(1, "cache/index3/shared_cpu_list", "1,5\n");
  made_.Write("sys/devices/system/cpu/online", "0-3,5-7\n");
  made_.Write("sys/devices/system/cpu/isolated", "7\n");
  EXPECT_EQ(Show(made_.root(), "table").value_or("-"),
            R"(3 zones, 2 packages, 4 cores, 7 CPUs online (1 or 2 threads a core)
offline: CPUs 4
isolated: CPUs 7, marked * below

zone 0  3 CPUs (0-1,5)
  memory 1000 KiB
  package 0, 1 core
    [0]
  package 0, L3 32 MiB, 1 core
    [1 5]

zone 1  4 CPUs (2-3,6-7)
  memory 2.0 MiB, 12 pages of 2 MiB (5 free)
  package 1, 2 cores
    [2 6]  [3 7*]

zone 4  no CPUs, nearest to zone 1 (distance 17)
  memory 3 GiB

distances
       0  1  4
    0 10 21 31
    1 21 10 17
    4 31 17 10

kubelet sees the same zones and cores
)");
}

TEST_F(ShowTest, SaysWhatContradictsItselfAndWhatKubeletCannotRead) {
  made_.TwoZones();
  made_.OfNode(1, "cpulist", "0,2-3,6-7\n");
  made_.OfCpu(0, "topology/core_id", "x\n");
  const std::string text = Show(made_.root(), "table").value_or("-");
  EXPECT_THAT(text, HasSubstr("\n! kubelet finds no zones here: "));
  EXPECT_THAT(text, HasSubstr("cpu0/topology/core_id is not a number for kubelet: it holds \"x\"\n"));
  EXPECT_THAT(text, HasSubstr("\n! CPUs 0 are listed by several zones"));
  const std::string json = Show(made_.root(), "json").value_or("-");
  EXPECT_THAT(json, HasSubstr(R"("kubelet":{"LogicalCores":0,"Nodes":null,"error":")"));
}

TEST_F(ShowTest, ReadsTheFolderThatIsNamed) {
  made_.TwoZones();
  const Outcome table = Run(Concat("show --root ", made_.root()));
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, StartsWith("2 zones, 2 packages, 4 cores, 8 CPUs online (2 threads a core)\n"));
  const Outcome json = Run(Concat("show -o json --root=", made_.root(), "/"));
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.out, StartsWith(R"({"online":"0-7","present":"0-7","cores":["0,4",)"));
}

TEST_F(ShowTest, TheDocumentSaysWhoOwnsWhichCpus) {
  made_.TwoZones();
  const std::string file = files_.File("state");
  pinner::StateStore store(file);
  const pinning::PodSets pods = {{"u2", {.containers = {{"b", pinning::SetOf({2, 6})}}}},
                                 {"u1", {.containers = {{"a", pinning::SetOf({1, 5})}}}}};
  ASSERT_TRUE(store.Save(pods, pinning::SetOf({0, 3, 4, 7}), {{"u1", "shop/web-0"}}).ok());
  EXPECT_THAT(Show(made_.root(), "json", file).value_or("-"),
              HasSubstr(R"("pins":{"owners":[{"pod":"shop/web-0","uid":"u1","container":"a","cpus":"1,5"},)"
                        R"({"pod":"u2","uid":"u2","container":"b","cpus":"2,6"}],"shared":"0,3-4,7"})"));
  EXPECT_THAT(Run(Concat("show -o json --root ", made_.root(), " --state ", file)).out, HasSubstr(R"("owners":[{)"));
  EXPECT_THAT(Show(made_.root(), "json", files_.File("absent")).value_or("-"), testing::Not(HasSubstr("\"pins\"")));
  std::ofstream(file) << "nonsense";
  EXPECT_THAT(Show(made_.root(), "json", file).value_or("-"), HasSubstr(R"("pins":{"owners":[],"shared":"")"));
}

TEST_F(ShowTest, ReadsThisMachine) {
  const Outcome own = Run("show");
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("\nzone "));
}

TEST_F(ShowTest, FailsWithTheFileThatCannotBeUnderstood) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", "0-7,\n");
  const Outcome outcome = Run(Concat("show --root ", made_.root()));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, Concat("huygens-agent show: ", made_.At("sys/devices/system/cpu/online"),
                                " is not an ascending list of ids below 65536 such as 0-3,8: it holds \"0-7,\"\n"));
}

TEST_F(ShowTest, WrongUsageIsSaid) {
  EXPECT_EQ(Run("show -o yaml").code, 2);
  EXPECT_EQ(Run("show -o yaml").err, "huygens-agent show: -o is table or json, not yaml\n");
  EXPECT_EQ(Run("show x").code, 2);
  EXPECT_EQ(Run("show --config x").err, "huygens-agent show: it has no flag --config; see --help\n");
  EXPECT_EQ(Run("extender").err, "huygens-agent extender: no such subcommand; `huygens-agent --help` lists them\n");
  EXPECT_EQ(Run("").code, 2);
}

TEST_F(ShowTest, HelpAndVersionAreThere) {
  EXPECT_THAT(Run("--help").out, HasSubstr("\nUsage: huygens-agent SUBCOMMAND [FLAGS]\n\n  run "));
  EXPECT_THAT(Run("show --help").out, StartsWith("Usage: huygens-agent show [FLAGS]\n"));
  EXPECT_THAT(Run("--version").out, StartsWith("huygens-agent " HUYGENS_VERSION " (commit "));
  EXPECT_EQ(Run("version").out, Run("--version").out);
}

}  // namespace
}  // namespace huygens::agent
