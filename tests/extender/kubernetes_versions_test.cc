// What each version of kube-scheduler sends of the same pod, recorded; the folder of vectors has them, skipped where it
// is absent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/text.h"
#include "extender/extender_args.h"
#include "wire/pod.h"

namespace huygens::extender {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const std::filesystem::path kRecorded = std::filesystem::path(HUYGENS_SHARED_DATA) / "wire" / "versions";

class KubernetesVersions : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kRecorded)) GTEST_SKIP() << "no folder of vectors at " << kRecorded;
  }
  static std::string Recorded(std::string_view verb) {
    std::ifstream file(kRecorded / Concat(GetParam(), "-", verb, ".json"), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << verb;
    return text.str();
  }
  ResourceNames names_;
};

TEST_P(KubernetesVersions, OnePodIsTheSamePod) {
  for (std::string_view verb : {"filter", "prioritize"}) {
    std::string body = Recorded(verb);
    auto args = DecodeExtenderArgs(body);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_THAT(*args->node_names, SizeIs(10));
    auto pod = wire::DecodePod(args->pod, names_);
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(pod->Key(), "default/rich");
    EXPECT_EQ(pod->topology_awareness, true);
    EXPECT_EQ(pod->priority, 0);
    ASSERT_THAT(pod->init_containers, SizeIs(2));
    EXPECT_FALSE(pod->init_containers[0].restartable);
    EXPECT_TRUE(pod->init_containers[1].restartable);
    ASSERT_THAT(pod->containers, SizeIs(1));
    EXPECT_EQ(pod->containers[0].requests, ResourceVector({{kCpu, 2000}, {kMemory, int64_t{1} << 30}}));
    EXPECT_EQ(pod->containers[0].limits, pod->containers[0].requests);
  }
}

TEST_P(KubernetesVersions, PreemptNamesBothVictims) {
  std::string body = Recorded("preempt");
  auto args = DecodePreemptArgs(body);
  ASSERT_TRUE(args.ok()) << args.status();
  ASSERT_THAT(args->nodes, SizeIs(1));
  EXPECT_EQ(args->nodes[0].node, "pr");
  ASSERT_THAT(args->nodes[0].pods, SizeIs(2));
  for (const Victim& victim : args->nodes[0].pods) EXPECT_THAT(victim.pod, IsEmpty()) << victim.uid;
  auto pod = wire::DecodePod(args->pod, names_);
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->Key(), "default/vip");
  EXPECT_EQ(pod->priority, 1000);
}

TEST_P(KubernetesVersions, BindNamesThePodOfTheFilter) {
  std::string filter = Recorded("filter");
  auto args = DecodeExtenderArgs(filter);
  ASSERT_TRUE(args.ok()) << args.status();
  auto pod = wire::DecodePod(args->pod, names_);
  ASSERT_TRUE(pod.ok()) << pod.status();
  auto bind = DecodeBindArgs(Recorded("bind"));
  ASSERT_TRUE(bind.ok()) << bind.status();
  EXPECT_EQ(Concat(bind->pod_namespace, "/", bind->pod_name), pod->Key());
  EXPECT_EQ(bind->pod_uid, pod->uid);
  EXPECT_THAT(*args->node_names, testing::Contains(bind->node));
}

INSTANTIATE_TEST_SUITE_P(Recorded, KubernetesVersions,
                         testing::Values("1.30.14", "1.32.2", "1.34.4", "1.36.3", "1.37.2"), [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace huygens::extender
