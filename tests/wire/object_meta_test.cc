#include "wire/object_meta.h"

#include <gtest/gtest.h>

#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

TEST(ObjectMeta, ReadsWhatEveryObjectSaysOfItself) {
  auto meta = DecodeObjectMeta(samples::kLease);
  ASSERT_TRUE(meta.ok()) << meta.status();
  EXPECT_EQ(meta->api_version, "coordination.k8s.io/v1");
  EXPECT_EQ(meta->kind, "Lease");
  EXPECT_EQ(meta->name, "huygens-bind");
  EXPECT_EQ(meta->namespace_name, "kube-system");
  EXPECT_EQ(meta->uid, "uid-lease");
  EXPECT_EQ(meta->resource_version, "77");
  EXPECT_EQ(DecodeObjectMeta("{}")->name, "");
  EXPECT_FALSE(DecodeObjectMeta("null").ok());
}

}  // namespace
}  // namespace huygens::wire
