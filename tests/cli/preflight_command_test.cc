// `huygens preflight` as a process: what it makes of its command line, its exit codes, and its JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "tests/fake/api_server.h"
#include "tests/fake/kubeconfig.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::cli {
namespace {

using fake::Fault;
using testing::HasSubstr;
using testing::IsEmpty;

struct Outcome {
  int code = -1;
  std::string out, err;
};

class PreflightCommandTest : public testing::Test {
 protected:
  PreflightCommandTest() {
    server_.Put(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"8"}}})");
    server_.Put(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"8"}}})");
  }
  // Reviews of permissions: of one's own account, and of another's.
  void Allow(bool own, bool another) {
    const auto answer = [&](const std::string& path, bool allowed) {
      server_.Inject({.what = Fault::What::kReply,
                      .path = path,
                      .times = -1,
                      .code = 201,
                      .body = allowed ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})"});
    };
    answer("/selfsubjectaccessreviews", own);
    answer("/subjectaccessreviews", another);
  }
  static std::string Text(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  Outcome Run(const std::string& arguments) const {
    const std::string out = files_.path() + "/out", err = files_.path() + "/err";
    const int status =
        std::system(Concat(HUYGENS_BINARY " preflight ", arguments, " >", out, " 2>", err).c_str());  // NOLINT: a shell
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Text(out), Text(err)};
  }
  // With a configuration that can be used and a cluster that answers.
  Outcome RunHere(const std::string& more) const {
    return Run(Concat("--config ", config_, " --kubeconfig ", kubeconfig_, " ", more));
  }
  void ExpectWrongUsage(const std::string& arguments, const std::string& why) const {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("huygens preflight: ")) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }

  fake::ApiServer server_;
  fake::TemporaryDirectory files_;
  const std::string config_ = files_.Write("extender.yaml", R"(apiVersion: config.huygens.dev/v1alpha1
kind: ExtenderConfiguration
filter: {checks: [topology]}
prioritize: {terms: [{name: FewestZones}]}
)");
  const std::string kubeconfig_ = files_.Write("kubeconfig", fake::Kubeconfig(server_.Options().base_url, "SECRET"));
};

TEST_F(PreflightCommandTest, WhatCannotBeUsedIsWrongUsageAndSaysWhy) {
  ExpectWrongUsage("--bogus", "it has no flag --bogus; see --help");
  ExpectWrongUsage("", "--config FILE is needed");
  ExpectWrongUsage("--config", "--config needs a value");
  ExpectWrongUsage(Concat("--config ", config_, " extra"), "unexpected argument extra");
  ExpectWrongUsage(Concat("--config ", config_, " -o yaml"), "-o");
  for (const char* kubelets : {"many", "-1", "''", "2.5", "99999999999999999999"}) {
    ExpectWrongUsage(Concat("--config ", config_, " --kubelets=", kubelets), "--kubelets takes a whole number");
  }
  for (const char* account : {"huygens-scheduler", "/huygens-scheduler", "kube-system/", "a/b/c"}) {
    ExpectWrongUsage(Concat("--config ", config_, " --account ", account), "--account takes NAMESPACE/NAME");
  }
  EXPECT_THAT(server_.Requests(), IsEmpty()) << "nothing is asked before all of that is right";
}

TEST_F(PreflightCommandTest, AConfigurationThatCannotBeUsedIsWrongUsageToo) {
  ExpectWrongUsage("--config /nowhere/extender.yaml", "/nowhere/extender.yaml");
  ExpectWrongUsage(Concat("--config ", files_.path()), files_.path());
  const std::string odd = files_.Write("odd.yaml", Text(config_) + "sever: {}\n");
  ExpectWrongUsage(Concat("--config ", odd), "odd.yaml:5:1: sever: no such field; did you mean server?");
}

TEST_F(PreflightCommandTest, JsonHasEachFindingAndTheCountsThatTheExitCodeGoesBy) {
  Allow(true, true);
  const Outcome outcome = RunHere("-o json");
  const boost::json::object all = boost::json::parse(outcome.out).as_object();
  EXPECT_EQ(all.size(), 5u);
  std::map<std::string, int64_t> counted = {{"ok", 0}, {"warning", 0}, {"error", 0}};
  for (const auto& each : all.at("findings").as_array()) {
    const boost::json::object& finding = each.as_object();
    EXPECT_EQ(finding.size(), 5u);
    for (const char* field : {"group", "severity", "what", "why", "mend"}) {
      EXPECT_TRUE(finding.at(field).is_string()) << outcome.out;
    }
    ++counted[std::string(finding.at("severity").as_string())];
  }
  EXPECT_EQ(counted.size(), 3u);
  EXPECT_EQ(all.at("ok").as_int64(), counted["ok"]);
  EXPECT_EQ(all.at("notLookedAt").as_int64(), 0);
  EXPECT_EQ(all.at("warnings").as_int64(), counted["warning"]);
  EXPECT_EQ(all.at("errors").as_int64(), counted["error"]);
  EXPECT_GT(counted["ok"], 0);
  EXPECT_GT(counted["warning"], 0) << "nodes without topology objects";
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  Allow(true, true);
  EXPECT_EQ(RunHere("").code, 1) << "the table goes by the same";
}

TEST_F(PreflightCommandTest, ErrorsAndGoodNewsHaveExitCodesOfTheirOwn) {
  Allow(false, false);
  const Outcome refused = RunHere("");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out, HasSubstr("may not create pods/binding"));
  server_.ClearFaults();
  Allow(true, true);
  for (const char* node : {"a", "b"}) {
    server_.Put(
        Concat(R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":")", node,
               R"("},"craneManagerPolicy":{"cpuManagerPolicy":"Static","topologyManagerPolicy":"None"},
      "zones":[{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"8"},"allocatable":{"cpu":"8"}}}]})"));
  }
  const Outcome good = RunHere("");
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_THAT(good.out, HasSubstr("0 errors, 0 warnings"));
}

TEST_F(PreflightCommandTest, PermissionsAreThoseOfTheAccountThatIsNamed) {
  Allow(true, false);
  EXPECT_THAT(RunHere("").out, HasSubstr("the account of the kubeconfig may do all"));
  EXPECT_EQ(server_.Seen("POST", "/subjectaccessreviews"), 0);
  const Outcome outcome = RunHere("--account shop/robot");
  EXPECT_THAT(outcome.out, HasSubstr("service account shop/robot may not"));
  EXPECT_GT(server_.Seen("POST", "/subjectaccessreviews"), 0);
}

TEST_F(PreflightCommandTest, AsManyKubeletsAreAskedAsSaid) {
  Allow(true, true);
  RunHere("--kubelets 0");
  EXPECT_EQ(server_.Seen("GET", "/proxy/configz"), 0);
  RunHere("--kubelets 1");
  EXPECT_EQ(server_.Seen("GET", "/proxy/configz"), 1);
  RunHere("");
  EXPECT_EQ(server_.Seen("GET", "/proxy/configz"), 3) << "both nodes";
}

}  // namespace
}  // namespace huygens::cli
