#include "json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/wire/samples.h"

namespace huygens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JsonReader MustOpen(std::string_view text) {
  auto reader = JsonReader::Open(text);
  EXPECT_TRUE(reader.ok()) << reader.status() << " in " << text;
  return *reader;
}

// The value as the reader sees it, built again as a tree.
boost::json::value Rebuild(JsonReader& in) {
  switch (in.Next()) {
    case JsonType::kNull:
      in.Skip();
      return nullptr;
    case JsonType::kBool: {
      bool value = false;
      EXPECT_TRUE(in.Read(value).ok());
      return value;
    }
    case JsonType::kNumber: {
      int64_t value = 0;
      EXPECT_TRUE(in.Read(value).ok());
      return value;
    }
    case JsonType::kString: {
      std::string value;
      EXPECT_TRUE(in.Read(value).ok());
      return boost::json::value(boost::json::string(value));
    }
    case JsonType::kArray: {
      boost::json::array out;
      EXPECT_TRUE(in.Elements([&](size_t) {
                      out.push_back(Rebuild(in));
                      return absl::OkStatus();
                    }).ok());
      return out;
    }
    default: {
      boost::json::object out;
      EXPECT_TRUE(in.Members([&](const JsonKey& key) {
                      std::string name(key.text);
                      out[name] = Rebuild(in);
                      return absl::OkStatus();
                    }).ok());
      return out;
    }
  }
}

// Valid UTF-8 with plenty of what has to be escaped.
rc::Gen<std::string> AnyText() {
  static const std::vector<std::string> kPieces = {
      "a", "node-0", "\"", "\\", "\\\\\"", "\n",   "\t",           std::string(1, '\0'), "\x1f", "/", "{", "}",
      "[", "]",      ",",  ":",  "é",      "中文", "\xE2\x80\xA8", "\xF0\x9F\x9A\x80",   " "};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces)),
                      [](const std::vector<std::string>& pieces) {
                        std::string out;
                        for (const std::string& piece : pieces) out += piece;
                        return out;
                      });
}

boost::json::value AnyValue(int depth) {
  int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 4);
  if (kind == 0) return nullptr;
  if (kind == 1) return *rc::gen::arbitrary<bool>();
  if (kind == 2) return *rc::gen::arbitrary<int64_t>();
  if (kind == 3) return boost::json::value(boost::json::string(*AnyText()));
  if (kind == 4) {
    boost::json::array out;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) out.push_back(AnyValue(depth - 1));
    return out;
  }
  boost::json::object out;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) out[*AnyText()] = AnyValue(depth - 1);
  return out;
}

// Serialized with random space between tokens.
void Print(const boost::json::value& value, std::string& out) {
  auto space = [&] { out += *rc::gen::elementOf(std::vector<std::string>{"", "", " ", "\n\t", "\r\n  "}); };
  space();
  if (const auto* array = value.if_array()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      Print((*array)[i], out);
    }
    space();
    out += ']';
  } else if (const auto* object = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& member : *object) {
      if (!first) out += ',';
      first = false;
      space();
      out += boost::json::serialize(boost::json::value(member.key()));
      space();
      out += ':';
      Print(member.value(), out);
    }
    space();
    out += '}';
  } else {
    out += boost::json::serialize(value);
  }
  space();
}

RC_GTEST_PROP(JsonReader, SeesEveryDocumentAsTheParserDoes, ()) {
  boost::json::value value = AnyValue(4);
  std::string text;
  Print(value, text);
  JsonReader in = MustOpen(text);
  RC_ASSERT(Rebuild(in) == value);
}

RC_GTEST_PROP(JsonReader, SkipReturnsExactlyTheTextOfEachElement, ()) {
  boost::json::array values;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) values.push_back(AnyValue(3));
  std::string text;
  Print(values, text);
  JsonReader in = MustOpen(text);
  boost::json::array seen;
  RC_ASSERT(in.Elements([&](size_t) {
                std::string_view raw = in.Skip();
                seen.push_back(boost::json::parse({raw.data(), raw.size()}));
                EXPECT_THAT(" \t\r\n", testing::Not(HasSubstr(std::string(1, raw.back()))));
                return absl::OkStatus();
              }).ok());
  RC_ASSERT(seen == values);
}

RC_GTEST_PROP(JsonReader, NoFrontOfADocumentIsADocument, ()) {
  boost::json::object object;
  object["k"] = AnyValue(3);
  std::string text = boost::json::serialize(object);
  for (size_t length = 0; length < text.size(); ++length)
    RC_ASSERT(!JsonReader::Open(std::string_view(text).substr(0, length)).ok());
}

RC_GTEST_PROP(JsonReader, UndoesEscapes, ()) {
  std::string text = *AnyText();
  std::string quoted = boost::json::serialize(boost::json::value(boost::json::string(text)));
  std::string list = "[" + quoted + "]";
  JsonReader in = MustOpen(quoted);
  std::string read;
  RC_ASSERT(in.Read(read).ok());
  RC_ASSERT(read == text);
  OwnedTexts owned;
  std::vector<std::string_view> views;
  JsonReader array = MustOpen(list);
  RC_ASSERT(array.Read(views, owned).ok());
  RC_ASSERT(views.size() == 1u);
  RC_ASSERT(views[0] == text);
}

TEST(JsonReader, ReadsSurrogatePairsAndEveryShortEscape) {
  JsonReader in = MustOpen(R"("\u0041\ud83d\ude80\b\f\n\r\t\/\\\"")");
  std::string out;
  ASSERT_TRUE(in.Read(out).ok());
  EXPECT_EQ(out, "A\xF0\x9F\x9A\x80\b\f\n\r\t/\\\"");
}

TEST(JsonReader, RefusesWhatIsNotExactlyOneValue) {
  for (std::string_view text :
       {"",    " ",       "{",        "[1,]",        "{\"a\":1,}", "{} {}",     "{}x",
        "nul", "01",      "+1",       ".5",          "'a'",        "{a:1}",     "// c\n{}",
        "NaN", "\"\\x\"", "\"a\nb\"", "\"\\ud800\"", "[1 2]",      "{\"a\" 1}", "\xEF\xBB\xBF{}"}) {
    auto reader = JsonReader::Open(text);
    ASSERT_FALSE(reader.ok()) << text;
    EXPECT_THAT(std::string(Message(reader.status())), HasSubstr("not JSON")) << text;
  }
  EXPECT_TRUE(JsonReader::Open(" \n{} \r\n\t").ok());
}

TEST(JsonReader, RefusesInvalidUtf8) {
  for (std::string_view bytes : {"\xFF", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(JsonReader::Open(Concat("{\"a\":\"", bytes, "\"}")).ok());
    EXPECT_FALSE(JsonReader::Open(Concat("{\"", bytes, "\":1}")).ok());
  }
}

TEST(JsonReader, RefusesNestingBeyondItsDepth) {
  auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(JsonReader::Open(nested(JsonReader::kMaxDepth)).ok());
  auto deeper = JsonReader::Open(nested(JsonReader::kMaxDepth + 1));
  ASSERT_FALSE(deeper.ok());
  EXPECT_THAT(std::string(Message(deeper.status())), HasSubstr("too deep"));
  EXPECT_FALSE(JsonReader::Open(nested(1000000)).ok());
  EXPECT_FALSE(JsonReader::Open(std::string(1000000, '[')).ok());
}

TEST(JsonReader, WhatIsNotReadIsSkipped) {
  JsonReader in = MustOpen(R"([ [1,{"a":"]"}] , {"b":[2]}, "x,y", 3, null ])");
  size_t elements = 0;
  ASSERT_TRUE(in.Elements([&](size_t index) {
                  EXPECT_EQ(index, elements++);
                  return absl::OkStatus();
                }).ok());
  EXPECT_EQ(elements, 5u);
  EXPECT_EQ(in.Next(), JsonType::kNothing);
}

TEST(JsonReader, ReadsWholeNumbersOnly) {
  auto read = [](std::string_view text, auto value) -> std::string {
    JsonReader in = MustOpen(text);
    Status status = in.Read(value);
    return status.ok() ? std::to_string(value) : std::string(Message(status));
  };
  EXPECT_EQ(read("-9223372036854775808", int64_t{}), "-9223372036854775808");
  EXPECT_EQ(read("9223372036854775807", int64_t{}), "9223372036854775807");
  EXPECT_EQ(read("9223372036854775808", int64_t{}), "number out of range");
  EXPECT_EQ(read("2147483648", int32_t{}), "number out of range");
  EXPECT_EQ(read("-2147483648", int32_t{}), "-2147483648");
  for (std::string_view text : {"1.0", "1e3", "0.5", "1E400"})
    EXPECT_THAT(read(text, int64_t{}), HasSubstr("expected a whole number"));
  EXPECT_EQ(read("\"7\"", int64_t{}), "expected a whole number, found a string");
  EXPECT_EQ(read("null", int64_t{5}), "5");
}

TEST(JsonReader, KeepsTheTextOfNumbers) {
  JsonReader in = MustOpen("[0.1, 1e400 ,-0,123456789012345678901234567890]");
  std::vector<std::string> seen;
  ASSERT_TRUE(in.Elements([&](size_t) {
                  seen.emplace_back(in.Skip());
                  return absl::OkStatus();
                }).ok());
  EXPECT_THAT(seen, ElementsAre("0.1", "1e400", "-0", "123456789012345678901234567890"));
}

TEST(JsonReader, NamesThePlaceOfAnError) {
  struct Nothing {};
  auto read = [](std::string_view text) {
    auto result = DecodeObject<Nothing>(text, [](JsonReader& in, Nothing&) {
      return in.Members([&](const JsonKey& key) -> Status {
        if (!key.Is("items")) return absl::OkStatus();
        return in.Elements([&](size_t) {
          return in.Members([&](const JsonKey& member) {
            std::string text;
            return member.Is("name") ? in.Read(text) : absl::OkStatus();
          });
        });
      });
    });
    return result.ok() ? "ok" : std::string(Message(result.status()));
  };
  EXPECT_EQ(read(R"({"items":[{"name":"a"},null,{"x":{}},{"name":7}]})"),
            "items[3].name: expected a string, found a number");
  EXPECT_EQ(read(R"({"Items":[{"NAME":[]}]})"), "Items[0].NAME: expected a string, found an array");
  EXPECT_EQ(read(R"({"items":{}})"), "items: expected an array, found an object");
  EXPECT_EQ(read(R"({"items":[true]})"), "items[0]: expected an object, found a bool");
  EXPECT_EQ(read("[]"), "expected an object, found an array");
  EXPECT_EQ(read("null"), "expected an object, found null");
  EXPECT_EQ(read(R"({"other":7,"items":null})"), "ok");
}

TEST(JsonReader, FieldNamesMatchInAnyCaseAndMapKeysExactly) {
  JsonReader in = MustOpen(R"({"nodeNAMES":1,"node\u004eames":2,"nodename":3})");
  std::vector<bool> is;
  std::vector<std::string> texts;
  ASSERT_TRUE(in.Members([&](const JsonKey& key) {
                  is.push_back(key.Is("NodeNames"));
                  texts.emplace_back(key.text);
                  return absl::OkStatus();
                }).ok());
  EXPECT_THAT(is, ElementsAre(true, true, false));
  EXPECT_THAT(texts, ElementsAre("nodeNAMES", "nodeNames", "nodename"));
}

TEST(JsonReader, ViewsPointIntoTheTextUnlessEscaped) {
  std::string text = R"(["plain","esc\u0061ped",null])";
  JsonReader in = MustOpen(text);
  OwnedTexts owned;
  std::vector<std::string_view> out;
  ASSERT_TRUE(in.Read(out, owned).ok());
  ASSERT_THAT(out, ElementsAre("plain", "escaped", ""));
  EXPECT_EQ(out[0].data(), text.data() + 2);
  OwnedTexts moved = std::move(owned);
  EXPECT_EQ(out[1], "escaped");
}

TEST(JsonReader, FieldsReadsThoseThatAreNamedAndSkipsTheOthers) {
  std::string name;
  int64_t count = 7;
  std::vector<size_t> positions;
  JsonReader in = MustOpen(R"({"NAME":"a","other":{"name":"b"},"list":[1,2],"count":null})");
  const Status read = in.Fields("name", name, "count", count, "list", [&] {
    return in.Elements([&](size_t index) {
      positions.push_back(index);
      return absl::OkStatus();
    });
  });
  EXPECT_TRUE(read.ok()) << read;
  EXPECT_EQ(name, "a");
  EXPECT_EQ(count, 7);
  EXPECT_THAT(positions, ElementsAre(0, 1));
  JsonReader wrong = MustOpen(R"({"a":{"count":"4"}})");
  const Status refused = wrong.Fields("a", [&] { return wrong.Fields("count", count); });
  EXPECT_THAT(std::string(Message(WithPlace(refused))), HasSubstr("a.count: expected a whole number, found a string"));
}

TEST(JsonReader, ReadsATimeOrNone) {
  std::optional<Time> time;
  JsonReader in = MustOpen(R"("2026-11-21T12:00:15Z")");
  ASSERT_TRUE(ReadTime(in, time).ok());
  EXPECT_EQ(FormatRfc3339(time.value()), "2026-11-21T12:00:15Z");
  JsonReader null = MustOpen("null");
  ASSERT_TRUE(ReadTime(null, time).ok());
  EXPECT_FALSE(time);
  JsonReader other = MustOpen(R"("noon")");
  EXPECT_FALSE(ReadTime(other, time).ok());
}

}  // namespace
}  // namespace huygens
