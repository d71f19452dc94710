#include "kube/yaml_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::kube {
namespace {

using testing::HasSubstr;

std::string Convert(const std::string& yaml) {
  std::string out;
  const Status status = AppendYamlAsJson(out, YAML::Load(yaml));
  return status.ok() ? out : Concat("fault: ", Message(status));
}

TEST(YamlJson, PlainScalarsFollowTheCoreSchema) {
  EXPECT_EQ(Convert("[null, ~, '', true, False, 12, -1.5, 1e3, 0]"), "[null,null,\"\",true,false,12,-1.5,1e3,0]");
  EXPECT_EQ(Convert("a:"), R"({"a":null})");
}

TEST(YamlJson, WhatIsNoJsonNumberStaysText) {
  EXPECT_EQ(Convert("[010, 0x1F, 1., .5, 1_000, .inf, 2Gi, 500m, yes, 2026-01-01]"),
            R"(["010","0x1F","1.",".5","1_000",".inf","2Gi","500m","yes","2026-01-01"])");
}

TEST(YamlJson, QuotedScalarsAreText) {
  EXPECT_EQ(Convert(R"(['12', "true", "null", "a\n\"b\""])"), R"(["12","true","null","a\n\"b\""])");
}

TEST(YamlJson, BlocksAndAliases) {
  EXPECT_EQ(Convert("a: |\n  x\n  y\nb: &l {k: 1}\nc: *l\n"), R"({"a":"x\ny\n","b":{"k":1},"c":{"k":1}})");
  EXPECT_EQ(Convert("base: &b {x: 1, y: 2}\nd: {<<: *b, y: 3}\n"), R"({"base":{"x":1,"y":2},"d":{"y":3,"x":1}})");
}

TEST(YamlJson, FaultsNameTheLine) {
  EXPECT_THAT(Convert("a: 1\nb: 2\na: 3\n"), HasSubstr("fault: line 3: the key a occurs twice"));
  EXPECT_THAT(Convert("x:\n  ? [1]\n  : 2\n"), HasSubstr("a key must be text"));
}

TEST(YamlJson, AliasesCannotExplode) {
  std::string yaml = "a0: &a0 [xxxxxxxxxxxxxxxxxxxx, xxxxxxxxxxxxxxxxxxxx]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) yaml += ", " + before;
    yaml += "]\n";
  }
  EXPECT_THAT(Convert(yaml), HasSubstr("too large"));
}

TEST(YamlJson, DepthIsBounded) {
  EXPECT_THAT(Convert(std::string(100, '[') + std::string(100, ']')), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace huygens::kube
