#include "real_capacity/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace huygens::real_capacity {
namespace {

const std::vector<std::string> kNames = {"allocatable", "capacity", "busy", "watts_2"};
const std::vector<double> kValues = {8, 10, 2.5, 400};

double Worth(std::string_view text) {
  const auto formula = Formula::Parse(text, kNames);
  if (!formula.ok()) {
    ADD_FAILURE() << text << ": " << formula.status();
    return 0;
  }
  const auto value = formula->Evaluate(kValues);
  if (!value.ok()) {
    ADD_FAILURE() << text << ": " << value.status();
    return 0;
  }
  return *value;
}

std::string FaultOf(std::string_view text) {
  const auto formula = Formula::Parse(text, kNames);
  if (!formula.ok()) return std::string(Message(formula.status()));
  return std::string(Message(formula->Evaluate(kValues).status()));
}

TEST(Formula, WorksOutWhatArithmeticSays) {
  EXPECT_EQ(Worth("1"), 1);
  EXPECT_EQ(Worth(" 1 + 2 * 3 "), 7);
  EXPECT_EQ(Worth("(1 + 2) * 3"), 9);
  EXPECT_EQ(Worth("10 - 2 - 3"), 5);
  EXPECT_EQ(Worth("16 / 4 / 2"), 2);
  EXPECT_EQ(Worth("-2 * -3"), 6);
  EXPECT_EQ(Worth("2 - -3"), 5);
  EXPECT_EQ(Worth("1e2 + .5"), 100.5);
  EXPECT_EQ(Worth("capacity - busy * 1.2"), 7);
  EXPECT_EQ(Worth("max(0, min(allocatable, capacity - busy - 1))"), 6.5);
  EXPECT_EQ(Worth("min(3)"), 3);
  EXPECT_EQ(Worth("max(1, 5, 3, -7)"), 5);
  EXPECT_EQ(Worth("min(4, 5, 3, 7)"), 3);
  EXPECT_EQ(Worth("watts_2 / 400"), 1);
}

TEST(Formula, KnowsWhichNamesAreInIt) {
  EXPECT_THAT(Formula::Parse("busy + capacity * busy", kNames)->names(), testing::ElementsAre(1, 2));
  EXPECT_THAT(Formula::Parse("1", kNames)->names(), testing::IsEmpty());
}

TEST(Formula, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(FaultOf(""), "character 1: expected a number, a name or (, and it ends here");
  EXPECT_EQ(FaultOf("1 +"), "character 4: expected a number, a name or (, and it ends here");
  EXPECT_EQ(FaultOf("1 2"), "character 3: expected an operator or the end, not \"2\"");
  EXPECT_EQ(FaultOf("(1"), "character 3: expected ), and it ends here");
  EXPECT_EQ(FaultOf("1)"), "character 2: expected an operator or the end, not \")\"");
  EXPECT_EQ(FaultOf("bussy"), "character 1: there is no name bussy; did you mean busy?");
  EXPECT_EQ(FaultOf("1 + nothing"),
            "character 5: there is no name nothing; there are allocatable, capacity, busy, watts_2, min, max");
  EXPECT_EQ(FaultOf("max 1"), "character 5: expected (, not \"1\"");
  EXPECT_EQ(FaultOf("max()"), "character 5: expected a number, a name or (, not \")\"");
  EXPECT_EQ(FaultOf("max(1, )"), "character 8: expected a number, a name or (, not \")\"");
  EXPECT_EQ(FaultOf("1.2.3"), "character 4: expected an operator after a number, not \".\"");
  EXPECT_EQ(FaultOf("3busy"), "character 2: expected an operator after a number, not \"b\"");
  EXPECT_EQ(FaultOf("1e999"), "character 1: is no number, or none that can be held");
  EXPECT_EQ(FaultOf("."), "character 1: is no number, or none that can be held");
  EXPECT_EQ(FaultOf("busy % 2"), "character 6: expected an operator or the end, not \"%\"");
  EXPECT_EQ(FaultOf("busy / (capacity - 10)"), "character 6: divides by zero");
  EXPECT_EQ(FaultOf("1e308 * 10"), "character 7: gives what is no number");
  EXPECT_EQ(FaultOf(std::string(1001, '1')), "is longer than 1000 characters");
  EXPECT_EQ(FaultOf(std::string(60, '(')), "character 51: more than 50 parentheses or signs within each other");
  EXPECT_EQ(FaultOf(std::string(60, '-') + "1"), "character 51: more than 50 parentheses or signs within each other");
}

TEST(Formula, IsWorthNothingWhereAFactIsNone) {
  const auto formula = Formula::Parse("max(0, busy)", kNames);
  ASSERT_TRUE(formula.ok());
  for (const double none : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_FALSE(formula->Evaluate(std::vector<double>{1, 1, none, 1}).ok()) << none;
  }
}

TEST(Formula, KnowsWhatANameIs) {
  for (const char* good : {"a", "_a1", "watts_2", "Min"}) EXPECT_TRUE(Formula::IsName(good)) << good;
  for (const char* bad : {"", "1a", "a-b", "min", "max", "a b"}) EXPECT_FALSE(Formula::IsName(bad)) << bad;
}

// A formula as a tree, worked out without a parser.
struct Tree {
  std::string text;
  double value = 0;
};

Tree Grow(int depth) {
  const int what = *rc::gen::inRange(0, depth == 0 ? 2 : 7);
  if (what == 0) {
    const int number = *rc::gen::inRange(0, 100);
    return {std::to_string(number), static_cast<double>(number)};
  }
  if (what == 1) {
    const size_t name = *rc::gen::inRange<size_t>(0, kNames.size());
    return {kNames[name], kValues[name]};
  }
  const Tree left = Grow(depth - 1), right = Grow(depth - 1);
  const std::string space = *rc::gen::arbitrary<bool>() ? " " : "";
  switch (what) {
    case 2:
      return {"(" + left.text + space + "+" + space + right.text + ")", left.value + right.value};
    case 3:
      return {"(" + left.text + space + "-" + right.text + ")", left.value - right.value};
    case 4:
      return {left.text + " * (" + right.text + ")" + space, left.value * right.value};
    case 5:
      return {"min(" + left.text + "," + right.text + ")", std::min(left.value, right.value)};
    default:
      return {"-max(" + space + left.text + "," + right.text + ")", -std::max(left.value, right.value)};
  }
}

RC_GTEST_PROP(FormulaProperty, IsWorthWhatItsTreeIs, ()) {
  const Tree tree = Grow(4);
  RC_PRE(tree.text.size() <= Formula::kLongest);
  const auto formula = Formula::Parse(tree.text, kNames);
  if (!formula.ok()) RC_FAIL(tree.text + ": " + std::string(Message(formula.status())));
  RC_ASSERT(formula->Evaluate(kValues).value() == tree.value);
}

RC_GTEST_PROP(FormulaProperty, AnyTextIsAFormulaOrAFault, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.eE+-*/(),min axbusy_\xc3\x80 ")));
  const auto formula = Formula::Parse(text, kNames);
  if (!formula.ok()) {
    RC_ASSERT(!formula.status().message().empty());
    return;
  }
  const auto value = formula->Evaluate(kValues);
  if (value.ok()) RC_ASSERT(std::isfinite(*value));
}

}  // namespace
}  // namespace huygens::real_capacity
