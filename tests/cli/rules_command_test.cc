// huygens rules, as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSampleRules = HUYGENS_SOURCE_DIR "/config/samples/rules/rules.yaml";
constexpr std::string_view kSampleObjects = HUYGENS_SOURCE_DIR "/config/samples/rules/objects.yaml";

class RulesCommandTest : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string err, out;
  };
  Outcome Rules(const std::string& arguments) const {
    const std::string err = files_.path() + "/err", out = files_.path() + "/out";
    const int status =
        std::system(Concat(HUYGENS_BINARY " rules ", arguments, " >", out, " 2>", err).c_str());  // NOLINT: a shell
    std::ostringstream errors, text;
    errors << std::ifstream(err).rdbuf();
    text << std::ifstream(out).rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, errors.str(), text.str()};
  }
  std::string Sample(std::string_view what) const { return Concat(what, " ", kSampleRules, " ", kSampleObjects); }
  fake::TemporaryDirectory files_;
};

TEST_F(RulesCommandTest, TheSamplesCanBeUsed) {
  const Outcome checked = Rules(Concat("check ", kSampleRules));
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(checked.out, "6 rules, 0 of them cannot be used\n");
}

TEST_F(RulesCommandTest, CheckNamesTheFieldAndTheLine) {
  std::ofstream(files_.path() + "/rule.yaml") << "apiVersion: huygens.dev/v1alpha1\nkind: SchedulingRule\n"
                                                 "metadata: {name: typo}\n"
                                                 "spec: {selector: {kinds: [Pod], matchLabel: {a: b}}, inject: {}}\n";
  const Outcome checked = Rules(Concat("check ", files_.path(), "/rule.yaml"));
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.out, HasSubstr("rule.yaml:1: typo: spec.selector.matchLabel: there is no such field"));
  // It changes nothing, and the others are applied all the same.
  const Outcome differing = Rules(Concat("diff ", files_.path(), "/rule.yaml ", kSampleObjects));
  EXPECT_EQ(differing.code, 0);
  EXPECT_THAT(differing.err, HasSubstr("matchLabel"));
  EXPECT_THAT(differing.out, HasSubstr("0 of 5 objects would change"));
}

TEST_F(RulesCommandTest, ExplainSaysWhichRuleGaveWhat) {
  const Outcome explained = Rules(Sample("explain"));
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("Pod payments/ledger-0\n"));
  EXPECT_THAT(explained.out, HasSubstr("allocatable/cpu  oversell-shared@0  64      96"));
  EXPECT_THAT(explained.out, HasSubstr("labels/cluster "));
  EXPECT_THAT(explained.out, HasSubstr("batch-pool@0 (report)"));
  EXPECT_THAT(explained.out, HasSubstr("would be applied: the rule only reports"));
}

TEST_F(RulesCommandTest, DiffShowsWhatChangesAndApplyMakesIt) {
  const Outcome differing = Rules(Sample("diff"));
  EXPECT_EQ(differing.code, 0) << differing.err;
  EXPECT_THAT(differing.out, HasSubstr("Node shared-1\n"));
  EXPECT_THAT(differing.out, HasSubstr("  ~ /status/allocatable/cpu: \"96\"\n"));
  EXPECT_THAT(differing.out, HasSubstr("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
                                       "nodeSelectorTerms/1/matchExpressions/-"));
  EXPECT_THAT(differing.out, Not(HasSubstr("report-0")));

  const Outcome applied = Rules(Sample("apply"));
  EXPECT_EQ(applied.code, 0) << applied.err;
  const boost::json::value list = boost::json::parse(applied.out);
  EXPECT_EQ(list.at("items").as_array().size(), 5U);
  // As the objects are then, nothing is left to do.
  std::ofstream(files_.path() + "/applied.json") << applied.out;
  std::string namespaces = Concat(files_.path(), "/namespaces.yaml");
  std::ofstream(namespaces)
      << "apiVersion: v1\nkind: Namespace\nmetadata: {name: payments, labels: {cluster: payments}}\n";
  const Outcome again = Rules(Concat("diff ", kSampleRules, " ", files_.path()));
  EXPECT_THAT(again.out, HasSubstr("0 of 5 objects would change"));
}

TEST_F(RulesCommandTest, SaysWhatCannotBeUsed) {
  EXPECT_EQ(Rules("").code, 2);
  EXPECT_THAT(Rules("judge x").err, HasSubstr("it takes check, compile, explain, diff, apply, history or back"));
  EXPECT_THAT(Rules(Sample("diff") + " --write delete").err, HasSubstr("--write is create, update or status"));
  EXPECT_THAT(Rules(Sample("diff") + " --at noon").err, HasSubstr("--at"));
  EXPECT_THAT(Rules(Concat("check ", kSampleObjects)).err, HasSubstr("there is no SchedulingRule in it"));
  std::ofstream(files_.path() + "/twice.yaml") << std::ifstream(std::string(kSampleRules)).rdbuf() << "---\n"
                                               << std::ifstream(std::string(kSampleRules)).rdbuf();
  EXPECT_THAT(Rules(Concat("check ", files_.path(), "/twice.yaml")).err, HasSubstr("already"));
}

}  // namespace
}  // namespace huygens::cli
