#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace huygens {
namespace {

TEST(NearestName, FindsTyposAndNothingFarther) {
  const std::string_view names[] = {"address", "adminAddress", "tls", "narrowTo"};
  EXPECT_EQ(NearestName("adress", names), "address");
  EXPECT_EQ(NearestName("NARROWTO", names), "narrowTo");
  EXPECT_EQ(NearestName("narrwoTo", names), "narrowTo");
  EXPECT_EQ(NearestName("tsl", names), "tls");
  EXPECT_EQ(NearestName("adminaddres", names), "adminAddress");
  EXPECT_EQ(NearestName("gravity", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(1000, 'a'), names), "");
}

std::string_view Nearest(std::string_view written, std::initializer_list<std::string_view> names) {
  return NearestName(written, std::vector<std::string_view>(names));
}

TEST(NearestName, IsNoneWhereTwoAreEquallyNear) {
  EXPECT_EQ(Nearest("limts", {"limits", "lifts"}), "");
  EXPECT_EQ(Nearest("limts", {"lifts", "limits"}), "");
  EXPECT_EQ(Nearest("limts", {"limits", "limits"}), "limits") << "one name, given twice";
  EXPECT_EQ(Nearest("searches", {"searcher", "sarches", "Searches"}), "Searches") << "nearer than the two";
  EXPECT_EQ(Nearest("searches", {"Searches", "searcher", "sarches"}), "Searches");
}

TEST(NearestName, IsNeverASibling) {
  EXPECT_EQ(Nearest("team-c", {"team-a"}), "");
  EXPECT_EQ(Nearest("team-c", {"team-a", "team-b", "teams-c"}), "teams-c");
  EXPECT_EQ(Nearest("node2", {"node1"}), "");
  EXPECT_EQ(Nearest("node12", {"node1", "node"}), "");
  EXPECT_EQ(Nearest("rack1-pool-b", {"rack2-pool-b", "rack1-pool-c"}), "");
  EXPECT_EQ(Nearest("search-pool-2", {"search-pool"}), "");
  EXPECT_EQ(Nearest("poolB", {"poolA"}), "");
  EXPECT_EQ(Nearest("numa-l", {"numa-1"}), "");
  EXPECT_EQ(Nearest("h100", {"a100"}), "");
  EXPECT_EQ(Nearest("nod2", {"node1", "node2"}), "node2");
  EXPECT_EQ(Nearest("numa2", {"numa-1", "numa-2"}), "numa-2") << "it is the same member";
  EXPECT_EQ(Nearest("TEAM-A", {"team-a", "team-b"}), "team-a");
  EXPECT_EQ(Nearest("limitz", {"limits"}), "limits") << "no word of one letter";
}

TEST(NearestName, DiffersByAQuarterOfTheLettersAtMost) {
  EXPECT_EQ(Nearest("tp", {"tls"}), "");
  EXPECT_EQ(Nearest("te", {"t"}), "") << "one of two letters";
  EXPECT_EQ(Nearest("TE", {"te"}), "te");
  EXPECT_EQ(Nearest("mod", {"mode"}), "mode");
  EXPECT_EQ(Nearest("mdoe", {"mode"}), "mode");
  EXPECT_EQ(Nearest("team", {"te"}), "") << "two letters are too many of four";
  EXPECT_EQ(Nearest("serche", {"search"}), "") << "two are too many of six";
  EXPECT_EQ(Nearest("serchers", {"searcher"}), "searcher") << "and a quarter of eight";
}

}  // namespace
}  // namespace huygens
