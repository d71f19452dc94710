#include "admin_api/sentences.h"

#include <gtest/gtest.h>

namespace huygens::admin_api {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(LossText, SaysHowLongAgoAndHowMuchLonger) {
  EXPECT_EQ(LossText(seconds(412), minutes(10)),
            "its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at most "
            "(topology.lossGrace: 10m)");
}

TEST(OutgrownText, NamesWhatIsAskedAndWhatTheZonesHave) {
  const PodDocument::Outgrown outgrown{
      .bound = {{"cpu", "2"}},
      .asks = {{"cpu", "3"}},
      .zones = {{.name = "node0", .effective = {{"cpu", "4"}}, .used = {{"cpu", "5"}}}}};
  EXPECT_EQ(OutgrownText(outgrown),
            "asks 3 cpu and was bound with 2 cpu; node0 can give 4 cpu, of which 5 cpu are taken");
}

}  // namespace
}  // namespace huygens::admin_api
