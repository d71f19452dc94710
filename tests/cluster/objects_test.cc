#include "cluster/objects.h"

#include <gtest/gtest.h>

#include <set>

#include "cluster/watch_event.h"

namespace huygens::cluster {
namespace {

TEST(ZoneId, IsTheNumberAtTheEndOfTheName) {
  struct Case {
    const char* name;
    std::optional<int> id;
  } cases[] = {
      {"node0", 0},
      {"node-0", 0},
      {"0", 0},
      {"node12", 12},
      {"node-007", 7},
      {"numa-node-3", 3},
      {"node65535", 65535},
      {"node", {}},
      {"", {}},
      {"node65536", {}},
      {"node-", {}},
      {"0a", {}},
      {"Node0", {}},
      {"NODE1", {}},
      {"node 1", 1},
      {"node-1-2", 2},
      {"99999999999999999999", {}},
  };
  for (const Case& each : cases) EXPECT_EQ(ParseZoneId(each.name), each.id) << each.name;
}

TEST(Kind, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (Kind kind : kKinds) EXPECT_TRUE(names.insert(Name(kind)).second) << Name(kind);
}

}  // namespace
}  // namespace huygens::cluster
