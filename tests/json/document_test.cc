#include "json/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/json/mutation.h"

namespace huygens {
namespace {

struct Part {
  std::string name;
  std::optional<int64_t> count;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.IfSet("count", self.count);
  }
  bool operator==(const Part&) const = default;
};

struct Base {
  std::string text;
  bool flag = false;

  static void Describe(auto& self, auto& fields) {
    fields.Always("text", self.text);
    fields.IfSet("flag", self.flag);
  }
  bool operator==(const Base&) const = default;
};

struct Whole : Base {
  bool always = false;
  int64_t number = 0;
  std::optional<double> share;
  std::optional<Part> part;
  std::vector<std::optional<double>> opinions;
  std::vector<std::pair<std::string, std::string>> amounts;
  std::vector<std::pair<std::string, Part>> by_name;
  std::vector<Part> list;

  static void Describe(auto& self, auto& fields) {
    Base::Describe(self, fields);
    fields.Always("always", self.always);
    fields.IfSet("number", self.number);
    fields.IfSet("share", self.share);
    fields.IfSet("part", self.part);
    fields.IfSet("opinions", self.opinions);
    fields.IfSet("amounts", self.amounts);
    fields.IfSet("byName", self.by_name);
    fields.Always("list", self.list);
  }
  bool operator==(const Whole&) const = default;
};

Whole Full() {
  Whole whole;
  whole.text = "say \"x\"\n";
  whole.flag = whole.always = true;
  whole.number = -7;
  whole.share = 0.25;
  whole.part = Part{"p", 0};
  whole.opinions = {0.5, std::nullopt, 1};
  whole.amounts = {{"cpu", "2"}, {"a\"b", "4Gi"}};
  whole.by_name = {{"x", {"y", 3}}};
  whole.list = {{"a", {}}, {"b", 1}};
  return whole;
}

constexpr std::string_view kFull =
    R"({"text":"say \"x\"\n","flag":true,"always":true,"number":-7,"share":0.25,"part":{"name":"p","count":0},)"
    R"("opinions":[0.5,null,1],"amounts":{"cpu":"2","a\"b":"4Gi"},"byName":{"x":{"name":"y","count":3}},)"
    R"("list":[{"name":"a"},{"name":"b","count":1}]})";

Whole Read(std::string_view json) {
  const auto whole = DecodeJson<Whole>(json);
  EXPECT_TRUE(whole.ok()) << whole.status() << " of " << json;
  return whole.ok() ? *whole : Whole();
}

std::string Fault(std::string_view json) { return std::string(Message(DecodeJson<Whole>(json).status())); }

TEST(JsonDocument, WritesItsFieldsInOrderAndReadsThemBack) {
  EXPECT_EQ(EncodeJson(Full()), kFull);
  EXPECT_EQ(Read(kFull), Full());
}

TEST(JsonDocument, WhatIsNotSetIsLeftOutAndStaysSo) {
  EXPECT_EQ(EncodeJson(Whole()), R"({"text":"","always":false,"list":[]})");
  EXPECT_EQ(Read(EncodeJson(Whole())), Whole());
  EXPECT_EQ(Read(R"({"share":null,"part":null,"number":null,"list":null,"amounts":null,"text":null})"), Whole());
}

TEST(JsonDocument, PassesOverWhatItDoesNotKnow) {
  EXPECT_EQ(Read(R"({"new":{"list":[1,{"text":7}]},"text":"t","List":[7],"list":[{"name":"a","since":[]}],"last":1})"),
            Read(R"({"text":"t","list":[{"name":"a"}]})"))
      << "in whatever case";
}

TEST(JsonDocument, WhatComesTwiceCountsAsItCameLast) {
  EXPECT_EQ(Read(R"({"text":"a","list":[{"name":"a"}],"text":"b","list":[{"name":"b"}]})"),
            Read(R"({"text":"b","list":[{"name":"b"}]})"));
}

TEST(JsonDocument, AnotherTypeIsAnErrorThatNamesItsPlace) {
  EXPECT_EQ(Fault(R"({"text":7})"), "text: expected a string, found a number");
  EXPECT_EQ(Fault(R"({"list":[{},{"count":"1"}]})"), "list[1].count: expected a whole number, found a string");
  EXPECT_EQ(Fault(R"({"list":{}})"), "list: expected an array, found an object");
  EXPECT_EQ(Fault(R"({"part":[]})"), "part: expected an object, found an array");
  EXPECT_EQ(Fault(R"({"byName":{"x":{"name":true}}})"), "byName.x.name: expected a string, found a bool");
  EXPECT_EQ(Fault(R"({"opinions":["x"]})"), "opinions[0]: expected a number, found a string");
  EXPECT_EQ(Fault(R"({"share":1e999})"), "share: number out of range");
  EXPECT_EQ(Fault("[]"), "expected an object, found an array");
  EXPECT_THAT(Fault(R"({"text":"a")"), testing::StartsWith("not JSON: "));
}

struct Open {
  std::string name;
  Time time{};
  std::vector<std::pair<std::string, int64_t>> amounts;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("time", self.time);
    fields.Others(self.amounts);
  }
  bool operator==(const Open&) const = default;
};

TEST(JsonDocument, OtherKeysAreKeptWhereTheListSaysSo) {
  const Open open{"a", *ParseRfc3339("2026-11-21T12:00:00.000250Z"), {{"cpu", 2}, {"a\"b", -1}}};
  constexpr std::string_view kJson = R"({"name":"a","time":"2026-11-21T12:00:00.000250Z","cpu":2,"a\"b":-1})";
  EXPECT_EQ(EncodeJson(open), kJson);
  EXPECT_EQ(DecodeJson<Open>(kJson).value(), open);
  EXPECT_EQ(Message(DecodeJson<Open>(R"({"cpu":"2"})").status()), "cpu: expected a whole number, found a string");
  EXPECT_TRUE(Message(DecodeJson<Open>(R"({"time":"yesterday"})").status()).starts_with("time: "));
}

TEST(JsonDocument, IsWrittenUpToTheItemsThatFollowOneByOne) {
  Whole whole = Full();
  whole.list.clear();
  std::string json = EncodeJsonUpToItems(whole);
  AppendJson(json, Part{"a", {}});
  json += ',';
  AppendJson(json, Part{"b", 1});
  EXPECT_EQ(json + "]}", kFull);
}

TEST(JsonDocument, WhateverIsChangedItIsReadOrRefusedWithItsPlace) {
  size_t refused = 0;
  Mutator(kFull).ForEach([&](Mutation, const std::string& json) {
    const auto whole = DecodeJson<Whole>(json);
    if (whole.ok()) {
      EXPECT_EQ(Read(EncodeJson(*whole)), *whole) << json;
    } else {
      ++refused;
      EXPECT_THAT(std::string(Message(whole.status())), testing::ContainsRegex("^[a-zA-Z]+[^:]*: ")) << json;
    }
  });
  EXPECT_GT(refused, 100u);
}

RC_GTEST_PROP(JsonDocument, AnyTextAndNumberComesBack, ()) {
  Whole whole;
  whole.number = *rc::gen::arbitrary<int64_t>();
  whole.share = static_cast<double>(*rc::gen::arbitrary<int64_t>()) / 1000;
  whole.opinions = {static_cast<double>(*rc::gen::arbitrary<int32_t>()) / 7};
  whole.text = *rc::gen::string<std::string>();
  whole.amounts = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::container<std::string>(rc::gen::inRange('\1', '\x7f')), rc::gen::just(std::string("1"))));
  for (char& c : whole.text) c = static_cast<char>(c & 0x7f);  // any UTF-8 would do
  RC_ASSERT(Read(EncodeJson(whole)) == whole);
}

}  // namespace
}  // namespace huygens
