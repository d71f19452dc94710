// Commands as processes: what they make of what nobody can use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/fixture.h"

namespace huygens::cli {
namespace {

using testing::HasSubstr;

class CommandsTest : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string err, out;
  };
  Outcome Run(const std::string& arguments) const {
    const std::string err = files_.path() + "/err", out = files_.path() + "/out";
    const int status =
        std::system(Concat(HUYGENS_BINARY " ", arguments, " >", out, " 2>", err).c_str());  // NOLINT: a shell
    std::ostringstream errors, text;
    errors << std::ifstream(err).rdbuf();
    text << std::ifstream(out).rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, errors.str(), text.str()};
  }
  fake::TemporaryDirectory files_;
};

TEST_F(CommandsTest, VersionTakesNoArgument) {
  EXPECT_EQ(Run("version").code, 0);
  const Outcome stray = Run("version x");
  EXPECT_EQ(stray.code, 2);
  EXPECT_THAT(stray.err, HasSubstr("huygens version: unexpected argument x"));
}

TEST_F(CommandsTest, RecommendSimulateJudgesRecordedDays) {
  std::string cart = "time,cpu,memory,cpuRequest\n";
  for (int hour = 0; hour < 72; ++hour) {
    cart += Concat(std::to_string(1'772'409'600 + hour * 3600), hour == 60 ? ",3" : ",1", ",1073741824,4\n");
  }
  std::ofstream(files_.path() + "/cart.csv") << cart;
  const Outcome simulated = Run(Concat("recommend simulate ", files_.path()));
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("profile weekly, 1 workloads"));
  EXPECT_THAT(simulated.out, HasSubstr("cart      2     4.00       1.12         1.00  1.00  3.00"));
  EXPECT_THAT(simulated.out, HasSubstr("2026-03-04 4.2%"));  // an hour of a day

  std::ofstream(files_.path() + "/cart.csv", std::ios::app) << "soon,1,1,4\n";
  const Outcome broken = Run(Concat("recommend simulate ", files_.path()));
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, HasSubstr("cart.csv: line 74: \"soon\" is no time"));
  EXPECT_EQ(Run("recommend simulate /nowhere").code, 2);
  EXPECT_EQ(Run(Concat("recommend simulate ", files_.path(), " --profile hourly")).code, 2);
  EXPECT_EQ(Run("recommend").code, 2);
}

TEST_F(CommandsTest, UsageTopSpeaksOfItsFlagsAndNotOfThePage) {
  net::testing::TestServer server({}, [](const net::Request& request, const net::Respond& respond) {
    const bool by = request.query.find("by=gpu") != std::string_view::npos;
    respond({.status = 400,
             .content_type = "text/plain",
             .body = by ? "by must be one of usage.resources (cpu), not \"gpu\"\n"
                        : "no parameter or resource is called gpus; parameters: by, limit, and sizes\n"});
  });
  const Outcome by = Run(Concat("usage top --by gpu --admin-url ", server.Url()));
  EXPECT_EQ(by.code, 2);
  EXPECT_EQ(by.err, "huygens usage: --by must be one of usage.resources (cpu), not \"gpu\"\n");
  const Outcome size = Run(Concat("usage top --size gpus=2 --admin-url ", server.Url()));
  EXPECT_EQ(size.code, 2);
  EXPECT_THAT(size.err, HasSubstr("huygens usage: --size: no resource is called gpus; it is RESOURCE=QUANTITY"));
}

TEST_F(CommandsTest, ExplainShowsWhatAHuygensThatIsAboutToEndSaysOfAPodWithoutDecisions) {
  std::atomic<bool> still_answers = true;  // the server reads it on a thread of its own
  net::testing::TestServer server({}, [&still_answers](const net::Request& request, const net::Respond& respond) {
    if (request.path == "/readyz") {
      const std::string_view serving = still_answers ? "draining: answers are still given" : "draining";
      respond({.status = 500, .body = Concat("[-]serving ", serving, "\nreadyz check failed\n")});
    } else if (request.path.starts_with("/debug/decisions")) {
      respond({.body = R"({"decisions":[]})"});
    } else {
      respond({.body = R"({"pod":"default/p","uid":"u","nodes":[{"name":"n1","reason":"too small"}]})"});
    }
  });
  const std::string explain = Concat("explain p --admin-url ", server.Url());
  const Outcome answers = Run(explain);
  EXPECT_EQ(answers.code, 0);
  EXPECT_THAT(answers.err, HasSubstr("huygens is about to end, and still answers:\n- serving draining"));
  EXPECT_THAT(answers.out, HasSubstr("no decision on pod default/p is remembered"));
  EXPECT_THAT(answers.out, HasSubstr("n1    too small"));
  still_answers = false;
  const Outcome refuses = Run(explain);
  EXPECT_EQ(refuses.code, 1);
  EXPECT_THAT(refuses.err, HasSubstr("huygens is not ready and refuses every call:\n- serving draining"));
  EXPECT_THAT(refuses.err, testing::Not(HasSubstr("no decision"))) << "it may not know what there is";
}

TEST_F(CommandsTest, ExplainSaysWhatItHasNotHeardOfAndWhereAForgottenPodIs) {
  net::testing::TestServer server({}, [](const net::Request& request, const net::Respond& respond) {
    constexpr std::string_view kSilent = R"("notHeardOf":[{"kind":"nodes","seconds":272,"why":"cut"}])";
    if (request.path.starts_with("/debug/nodes/")) {
      respond({.body = Concat(R"({"name":"n1","known":true,"mode":"managed",)", kSilent, "}")});
    } else if (request.path.starts_with("/debug/decisions")) {
      respond({.body = R"({"decisions":[]})"});
    } else {
      respond({.body = Concat(R"({"pod":"default/p","uid":"u","node":"n1",)", kSilent, R"(,"nodes":[]})")});
    }
  });
  const Outcome node = Run(Concat("explain node/n1 --admin-url ", server.Url()));
  EXPECT_EQ(node.code, 0);
  EXPECT_THAT(node.out, testing::StartsWith("node n1\n! huygens has not heard of nodes for 272 s (cut): "));
  const Outcome pod = Run(Concat("explain p --admin-url ", server.Url()));
  EXPECT_EQ(pod.code, 0);
  EXPECT_EQ(pod.err, "");
  EXPECT_THAT(pod.out, testing::StartsWith("no decision on pod default/p "))
      << "cli/kubectl-huygens asks the other instances then";
  EXPECT_THAT(pod.out, HasSubstr("! huygens has not heard of nodes for 272 s (cut): "));
  EXPECT_THAT(pod.out, HasSubstr("\nIt is on n1, without zones."));
}

TEST_F(CommandsTest, ATakenPortNamesItsSetting) {
  net::testing::TestServer server({}, [](const net::Request&, const net::Respond& respond) { respond({}); });
  const std::string address = server.Url().substr(std::string_view("http://").size());
  files_.Write("cluster/node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  const auto config = [&](std::string_view own, std::string_view admin) {
    return files_.Write("extender.yaml", Concat("apiVersion: config.huygens.dev/v1alpha1\nkind: ExtenderConfiguration\n"
                                                "cluster: {manifests: {directory: ",
                                                files_.path(), "/cluster}}\nserver: {address: '", own,
                                                "', adminAddress: '", admin, "'}\n"));
  };
  const Outcome own = Run(Concat("extender --config ", config(address, "127.0.0.1:0")));
  EXPECT_EQ(own.code, 1);
  EXPECT_THAT(own.err, HasSubstr(Concat("server.address: cannot listen on ", address)));
  EXPECT_THAT(own.err, HasSubstr("another process listens there"));
  const Outcome admin = Run(Concat("extender --config ", config("127.0.0.1:0", address)));
  EXPECT_THAT(admin.err, HasSubstr(Concat("server.adminAddress: cannot listen on ", address)));
}

}  // namespace
}  // namespace huygens::cli
