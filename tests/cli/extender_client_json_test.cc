#include "cli/extender_client_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "extender/extender_args.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string Recorded(const std::string& name) {
  std::ifstream in(Concat(HUYGENS_SHARED_DATA, "/wire/", name));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ExtenderClientJson, WritesFilterAndPrioritizeAsKubeSchedulerDoes) {
  for (const char* name : {"filter-names.json", "prioritize-names.json"}) {
    const std::string recorded = Recorded(name);
    if (recorded.empty()) GTEST_SKIP() << "no recorded requests in " << HUYGENS_SHARED_DATA << "/wire";
    auto args = extender::DecodeExtenderArgs(recorded);
    ASSERT_TRUE(args.ok()) << args.status();
    std::vector<std::string> nodes(args->node_names->begin(), args->node_names->end());
    EXPECT_EQ(FilterRequest(args->pod, nodes), recorded);
  }
}

TEST(ExtenderClientJson, WritesBindAsKubeSchedulerDoes) {
  const std::string recorded = Recorded("bind.json");
  if (recorded.empty()) GTEST_SKIP() << "no recorded requests in " << HUYGENS_SHARED_DATA << "/wire";
  auto args = extender::DecodeBindArgs(recorded);
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(BindRequestText(args->pod_name, args->pod_namespace, args->pod_uid, args->node), recorded);
}

TEST(ExtenderClientJson, ReadsAnswers) {
  auto filter = DecodeFilterReply(
      R"({"Nodes":null,"NodeNames":["a"],"FailedNodes":{"c":"full"},"FailedAndUnresolvableNodes":{"b":"no \"NRT\""},"Error":""})");
  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_THAT(filter->nodes, ElementsAre("a"));
  EXPECT_THAT(filter->refused, ElementsAre(Pair("b", "no \"NRT\""), Pair("c", "full")));
  EXPECT_EQ(filter->error, "");
  EXPECT_EQ(DecodeFilterReply(R"({"NodeNames":null,"Error":"not ready"})")->error, "not ready");

  EXPECT_THAT(*DecodePriorities(R"([{"Host":"a","Score":10},{"Host":"b","Score":0}])"),
              ElementsAre(Pair("a", 10), Pair("b", 0)));
  EXPECT_EQ(*DecodeBindReply(R"({"Error":""})"), "");
  EXPECT_EQ(*DecodeBindReply(R"({"Error":"taken"})"), "taken");
}

TEST(ExtenderClientJson, RefusesWhatIsNoAnswer) {
  EXPECT_FALSE(DecodeFilterReply("<html>").ok());
  EXPECT_FALSE(DecodeFilterReply(R"({"NodeNames":"a"})").ok());
  EXPECT_FALSE(DecodePriorities(R"([{"Host":"a","Score":1.5}])").ok());
  EXPECT_FALSE(DecodePriorities(R"({"Host":"a"})").ok());
  EXPECT_FALSE(DecodeBindReply("").ok());
}

}  // namespace
}  // namespace huygens::cli
