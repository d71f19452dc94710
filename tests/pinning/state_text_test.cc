#include "pinning/state_text.h"

#include <gtest/gtest.h>

namespace huygens::pinning {
namespace {

TEST(StateText, HasTheChecksumsOfFilesThatKubeletWrote) {
  EXPECT_EQ(Checksum({"static", "0-3", {{"a", {{"z", "7"}}}, {"b", {{"x", "5-6"}, {"y", "4"}}}}}), 3899454485U);
  EXPECT_EQ(Checksum({"none", "", {}}), 1353318690U);
  EXPECT_EQ(Checksum({"static", "0", {{"bdb3a28d-f43b-4642-b9a2-cec61bc94d4c", {{"a", "1"}}}}}), 3076715670U);
}

TEST(StateText, IsWrittenAsKubeletWritesItAndReadBack) {
  const StateText state{"static", "0-1,4", {{"u1", {{"app", "2-3"}}}}};
  const std::string text = EncodeState(state);
  EXPECT_EQ(text, Concat(R"({"policyName":"static","defaultCpuSet":"0-1,4","entries":{"u1":{"app":"2-3"}},"checksum":)",
                         std::to_string(Checksum(state)), "}"));
  const auto read = DecodeState(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, state);
  EXPECT_EQ(EncodeState({"none", "", {}}), R"({"policyName":"none","defaultCpuSet":"","checksum":1353318690})");
}

TEST(StateText, OfWhichAPartIsMissingOrChangedIsRefused) {
  std::string text = EncodeState({"static", "0-1", {{"u1", {{"app", "2-3"}}}}});
  const std::string cut = text.substr(0, text.size() / 2);
  EXPECT_FALSE(DecodeState(cut).ok());
  text.replace(text.find("2-3"), 3, "2-4");
  const auto changed = DecodeState(text);
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(Message(changed.status()).find("checksum"), std::string_view::npos);
}

TEST(StateText, WithoutAChecksumAndWithUnknownFieldsIsRead) {
  const auto read = DecodeState(R"({"policyName":"static","defaultCpuSet":"0","podEntries":{},"checksum":0})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->default_cpus, "0");
}

}  // namespace
}  // namespace huygens::pinning
