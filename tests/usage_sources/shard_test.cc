#include "usage_sources/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace huygens::usage_sources {
namespace {

bool Selects(const std::string& matcher, const std::string& name) {
  if (matcher.empty()) return true;
  const size_t quote = matcher.find('"');
  const std::string value = matcher.substr(quote + 1, matcher.size() - quote - 2);
  return matcher.starts_with("pod=~") ? std::regex_match(name, std::regex(value)) : name == value;
}

TEST(Shard, IsEverythingAtFirst) {
  EXPECT_TRUE(Shard().all());
  EXPECT_EQ(Shard().Matcher("pod"), "");
}

TEST(Shard, SplitsSoThatEachNameIsInOnePart) {
  std::mt19937 random(3);
  std::vector<std::string> names = {"", "0", "a", "-", "x.y", "web-7d4b9c6f5-x2x4z", "db-0", "db-10", "A", "\u00fc"};
  for (int i = 0; i < 300; ++i)
    names.push_back("app-" + std::to_string(random() % 50) + "-" + std::to_string(random() % 20));
  std::vector<Shard> shards = {Shard()};
  for (int round = 0; round < 60; ++round) {
    const size_t which = random() % shards.size();
    const std::vector<Shard> parts = shards[which].Split();
    if (parts.empty()) continue;
    EXPECT_GT(parts.size(), 1U);
    shards.erase(shards.begin() + static_cast<ptrdiff_t>(which));
    shards.insert(shards.end(), parts.begin(), parts.end());
  }
  EXPECT_GT(shards.size(), 50U);
  for (const std::string& name : names) {
    int selected = 0;
    for (const Shard& shard : shards) selected += Selects(shard.Matcher("pod"), name) ? 1 : 0;
    EXPECT_EQ(selected, 1) << name;
  }
}

TEST(Shard, EndsAtOneName) {
  Shard shard;
  for (int i = 0; i < 20; ++i) {
    const std::vector<Shard> parts = shard.Split();
    if (parts.empty()) return;
    shard = parts.front();  // the one with the name that ends here
  }
  ADD_FAILURE() << shard.Matcher("pod");
}

}  // namespace
}  // namespace huygens::usage_sources
