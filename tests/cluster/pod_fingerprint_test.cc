#include "cluster/pod_fingerprint.h"

#include <gtest/gtest.h>

namespace huygens::cluster {
namespace {

TEST(PodFingerprint, IsThatOfTheExporters) {
  // podfingerprint, testdata/compat-tiny-3pods-1ns
  HashedPods set;
  for (const char* name : {"jaeger-dpgjk", "nginx-rt684", "envoy-g9m22"}) set.Add(PodNameHash("production", name));
  EXPECT_EQ(ParsePodFingerprint("pfp0v001607b76a0e9d3aeb4"), set.Fingerprint());
  EXPECT_EQ(PodFingerprintText(set.Fingerprint()), "pfp0v001607b76a0e9d3aeb4");
  for (const char* text : {"", "pfp0v002607b76a0e9d3aeb4", "pfp0v001607b76a0e9d3aeb", "pfp0v001607b76a0e9d3aebg"}) {
    EXPECT_FALSE(ParsePodFingerprint(text)) << text;
  }
}

}  // namespace
}  // namespace huygens::cluster
