#include "json/append.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <limits>

namespace huygens {
namespace {

std::string String(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Double(double value) {
  std::string out;
  AppendJsonDouble(out, value);
  return out;
}

TEST(JsonString, EscapesWhatJsonDemandsAndNothingElse) {
  EXPECT_EQ(String(""), R"("")");
  EXPECT_EQ(String("node-0001.example"), R"("node-0001.example")");
  EXPECT_EQ(String("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(String("line\nreturn\rtab\t"), R"("line\nreturn\rtab\t")");
  EXPECT_EQ(String(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(String("节点 <&>\u2028"), "\"节点 <&>\u2028\"");
}

TEST(JsonString, FindsOneBadByteAtEveryPlace) {
  for (char bad : {'"', '\\', '\n', '\x1f'}) {
    for (size_t size = 1; size < 20; ++size) {
      for (size_t at = 0; at < size; ++at) {
        std::string text(size, '\xff');
        text[at] = bad;
        std::string quoted = String(text);
        EXPECT_EQ(quoted.substr(0, at + 1), "\"" + std::string(at, '\xff'));
        EXPECT_EQ(quoted[at + 1], '\\') << size << " " << at;
        EXPECT_EQ(quoted.substr(quoted.size() - (size - at)), std::string(size - at - 1, '\xff') + "\"");
      }
    }
  }
}

// A reader of its own, byte by byte, so that the writer is not checked against itself.
std::string Unquote(std::string_view quoted) {
  std::string out;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      RC_ASSERT(static_cast<unsigned char>(quoted[i]) >= 0x20 && quoted[i] != '"');
      out += quoted[i];
      continue;
    }
    switch (quoted[++i]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        out += static_cast<char>(std::stoi(std::string(quoted.substr(i + 1, 4)), nullptr, 16));
        i += 4;
        break;
      default:
        RC_ASSERT(quoted[i] == '"' || quoted[i] == '\\');
        out += quoted[i];
    }
  }
  return out;
}

RC_GTEST_PROP(JsonString, CanBeReadBack, (const std::string& text)) {
  std::string quoted = String(text);
  RC_ASSERT(quoted.front() == '"' && quoted.back() == '"');
  RC_ASSERT(Unquote(quoted) == text);
}

TEST(JsonString, AppendsBehindWhatIsThere) {
  std::string out = "[";
  AppendJsonString(out, "x");
  AppendJsonInt(out, -3);
  EXPECT_EQ(out, "[\"x\"-3");
}

TEST(JsonField, HasACommaBeforeItUnlessItIsTheFirstOfAnObject) {
  std::string out;
  AppendJsonField(out, "a", "{");
  EXPECT_EQ(out, R"("a":"{")");
  AppendJsonKey(out, "b");
  out += '{';
  AppendJsonField(out, "c", "x\"y");
  EXPECT_EQ(out, R"("a":"{","b":{"c":"x\"y")");
}

TEST(JsonInt, WritesTheWholeRange) {
  std::string out;
  AppendJsonInt(out, std::numeric_limits<int64_t>::min());
  out += ' ';
  AppendJsonInt(out, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(out, "-9223372036854775808 9223372036854775807");
}

TEST(JsonDouble, WritesTheShortestTextAndNoNaN) {
  EXPECT_EQ(Double(0), "0");
  EXPECT_EQ(Double(0.1), "0.1");
  EXPECT_EQ(Double(-2.5), "-2.5");
  EXPECT_EQ(Double(1e300), "1e+300");
  EXPECT_EQ(Double(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(Double(-std::numeric_limits<double>::infinity()), "null");
}

RC_GTEST_PROP(JsonDouble, ReadsBackToTheSameValue, (double value)) {
  RC_ASSERT(std::strtod(Double(value).c_str(), nullptr) == value);
}

}  // namespace
}  // namespace huygens
