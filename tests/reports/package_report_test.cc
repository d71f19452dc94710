#include "reports/package_report.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace huygens::reports {
namespace {

TEST(PackageReport, SaysWhatNodesAndBudgetsTake) {
  const auto tree = DecodeJson<admin_api::QuotaTreeDocument>(
      R"({"enforcement":"placement","packages":[{"size":"cpu=4,memory=16Gi","nodes":7,"fragmentation":{"cpu":0.125,"memory":0}},)"
      R"({"size":"cpu=64","nodes":0,"fragmentation":{"cpu":1}}],"groups":[)"
      R"({"name":"org","parent":"","path":"org","state":"ok","children":["ads"],"keys":[],"packages":[)"
      R"({"size":"cpu=4,memory=16Gi","budget":12,"limitedBy":"limits.cpu","recommended":true},{"size":"cpu=64"}]},)"
      R"({"name":"ads","parent":"org","path":"org/ads","state":"ok","children":[],"keys":[],"packages":[)"
      R"({"size":"cpu=4,memory=16Gi","budget":2,"limitedBy":"limits.memory","recommended":true},)"
      R"({"size":"cpu=64","budget":0,"limitedBy":"the group is being deleted"}]}]})");
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(PackagesText(*tree),
            "PACKAGE            NODES TAKE  FREE IN PIECES TOO SMALL\n"
            "cpu=4,memory=16Gi  7           cpu 13 %, memory 0 %\n"
            "cpu=64             0           cpu 100 %\n"
            "\n"
            "GROUP    PACKAGE            FITS  BY BUDGET  BY NODES  NOTE\n"
            "org      cpu=4,memory=16Gi  7     12         7         recommended\n"
            "         cpu=64             0     no limit   0\n"
            "org/ads  cpu=4,memory=16Gi  2     2          7         recommended; limited by limits.memory\n"
            "         cpu=64             0     0          0         limited by the group is being deleted\n");
}

TEST(PackageReport, SizesArePartedBySpaces) {
  EXPECT_EQ(PackageQuery("cpu=4,memory=16Gi  cpu=16").value(), "&package=cpu%3D4%2Cmemory%3D16Gi&package=cpu%3D16");
  EXPECT_FALSE(PackageQuery(" ").ok());
}

}  // namespace
}  // namespace huygens::reports
