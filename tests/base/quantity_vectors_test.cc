// Quantity against what k8s.io/apimachinery printed for the same texts (quantity_vectors.tsv, quantity_ops.tsv).
// One divergence is wanted: where upstream's Value() and MilliValue() wrap, ours saturate. Which rows those are is
// found out by long arithmetic of this test's own, not by asking Quantity. Where upstream loses the sign of a value
// that would fit, the row is named in kUpstreamLosesSign. No row is touched by the bounds on exponent and digits.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <vector>

#include "base/quantity.h"

namespace huygens {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using BigInt = boost::multiprecision::cpp_int;

std::vector<std::vector<std::string>> Rows(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(std::filesystem::path(HUYGENS_SHARED_DATA) / file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    rows.push_back(std::move(cells));
  }
  return rows;
}

// "String=1k" -> "1k"
std::string After(const std::string& cell, std::string_view key) {
  EXPECT_TRUE(cell.starts_with(key)) << cell;
  return cell.substr(key.size());
}

std::string FormatName(Quantity::Format format) {
  switch (format) {
    case Quantity::Format::kDecimalSI:
      return "DecimalSI";
    case Quantity::Format::kBinarySI:
      return "BinarySI";
    case Quantity::Format::kDecimalExponent:
      return "DecimalExponent";
  }
  return "?";
}

// The exact value of a well-formed text, by schoolbook arithmetic of this test's own.
Rational Exact(const std::string& text) {
  size_t end = text.find_first_not_of("+-.0123456789");
  std::string number = text.substr(0, end);
  std::string suffix = end == std::string::npos ? "" : text.substr(end);
  Rational value = 0;
  Rational place = 0;
  for (char c : number) {
    if (c == '.') place = 1;
    if (c < '0' || c > '9') continue;
    value = value * 10 + (c - '0');
    place *= 10;
  }
  if (place != 0) value /= place;
  if (number.starts_with('-')) value = -value;
  static const std::string kLetters = "numkMGTPE";
  if (suffix.size() == 2 && suffix[1] == 'i') {
    for (size_t i = 0; i < kLetters.find(suffix[0] == 'K' ? 'k' : suffix[0]) - 2; ++i) value *= 1024;
  } else if (!suffix.empty()) {
    int exponent = 0;
    if (suffix.size() == 1) {
      auto at = static_cast<int>(kLetters.find(suffix[0]));
      exponent = at < 3 ? 3 * at - 9 : 3 * at - 6;
    } else {
      exponent = std::stoi(suffix.substr(1));
    }
    for (int i = 0; i < exponent; ++i) value *= 10;
    for (int i = 0; i > exponent; --i) value /= 10;
  }
  return value;
}

// Rounded away from zero to a multiple of 1/`parts`.
Rational RoundUp(const Rational& value, int64_t parts) {
  Rational scaled = abs(value) * parts;
  BigInt whole = numerator(scaled) / denominator(scaled);
  if (whole * denominator(scaled) != numerator(scaled)) ++whole;
  Rational rounded = Rational(whole, parts);
  return value < 0 ? Rational(-rounded) : rounded;
}

// What Parse() must hold: rounded to nano, binary texts capped at 2^63-1.
Rational Parsed(const std::string& text) {
  Rational value = RoundUp(Exact(text), 1'000'000'000);
  Rational cap = std::numeric_limits<int64_t>::max();
  if (text.ends_with('i')) value = std::max<Rational>(std::min<Rational>(value, cap), Rational(-cap));
  return value;
}

int64_t Saturated(const Rational& value, int64_t parts) {
  Rational scaled = RoundUp(value, parts) * parts;
  if (scaled > std::numeric_limits<int64_t>::max()) return std::numeric_limits<int64_t>::max();
  if (scaled < std::numeric_limits<int64_t>::min()) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(numerator(scaled));
}

// Upstream takes these through its big decimals, whose conversion to int64 is wrong below zero.
const std::set<std::string> kUpstreamLosesSign = {"-1Pi", "-2.75n", "-2.75E-9", "-2.75Ti", "-2.75Ei"};

struct Tally {
  int same = 0;
  int saturated = 0;
  int sign_lost = 0;
};

// Checks `ours` against the true value, and against upstream's number wherever that is right.
void CheckScaled(const std::string& text, int64_t ours, const std::string& upstream, const Rational& value,
                 int64_t parts, Tally& tally) {
  const int64_t truth = Saturated(value, parts);
  EXPECT_EQ(ours, truth);
  if (upstream == std::to_string(truth)) {
    ++tally.same;
  } else if (RoundUp(value, parts) * parts != truth) {
    ++tally.saturated;
  } else {
    EXPECT_TRUE(kUpstreamLosesSign.contains(text)) << "upstream " << upstream << ", ours " << ours;
    ++tally.sign_lost;
  }
}

class QuantityVectors : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(HUYGENS_SHARED_DATA) / "quantity_vectors.tsv")) {
      GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
    }
  }
};

TEST_F(QuantityVectors, ParsesAndPrintsAsUpstream) {
  int accepted = 0;
  int refused = 0;
  Tally tally;
  for (const auto& row : Rows("quantity_vectors.tsv")) {
    ASSERT_GE(row.size(), 3u);
    const std::string text = row[0].substr(1, row[0].size() - 2);
    SCOPED_TRACE(text);
    StatusOr<Quantity> quantity = Quantity::Parse(text);
    if (row[1] == "ERR") {
      ++refused;
      ASSERT_FALSE(quantity.ok());
      EXPECT_EQ(Message(quantity.status()), row[2]);
      continue;
    }
    ++accepted;
    ASSERT_TRUE(quantity.ok()) << quantity.status();
    EXPECT_EQ(quantity->Text(), After(row[2], "String="));
    EXPECT_EQ(quantity->Canonical(), After(row[3], "canon="));
    EXPECT_EQ(FormatName(quantity->format()), After(row[4], "fmt="));
    const Rational value = Parsed(text);
    CheckScaled(text, quantity->Value(), After(row[6], "Value="), value, 1, tally);
    CheckScaled(text, quantity->MilliValue(), After(row[7], "Milli="), value, 1000, tally);
  }
  EXPECT_EQ(accepted, 478);
  EXPECT_EQ(refused, 16);
  EXPECT_EQ(tally.same, 827);
  EXPECT_EQ(tally.saturated, 120);
  EXPECT_EQ(tally.sign_lost, 9);
}

TEST_F(QuantityVectors, AddsSubtractsAndComparesAsUpstream) {
  int rows = 0;
  Tally tally;
  for (const auto& row : Rows("quantity_ops.tsv")) {
    ASSERT_EQ(row.size(), 9u);
    SCOPED_TRACE(row[0] + " and " + row[1]);
    const Quantity a = *Quantity::Parse(row[0]);
    const Quantity b = *Quantity::Parse(row[1]);
    Quantity sum = a;
    sum.Add(b);
    Quantity difference = a;
    difference.Sub(b);
    EXPECT_EQ(std::to_string(a.Compare(b)), row[2]);
    EXPECT_EQ(sum.Text(), row[3]);
    EXPECT_EQ(FormatName(sum.format()), row[4]);
    EXPECT_EQ(difference.Text(), row[5]);
    EXPECT_EQ(FormatName(difference.format()), row[6]);
    const Rational value = Parsed(row[0]) + Parsed(row[1]);
    CheckScaled("", sum.Value(), row[7], value, 1, tally);
    CheckScaled("", sum.MilliValue(), row[8], value, 1000, tally);
    ++rows;
  }
  EXPECT_EQ(rows, 338);
  EXPECT_EQ(tally.same, 560);
  EXPECT_EQ(tally.saturated, 116);
  EXPECT_EQ(tally.sign_lost, 0);
}

}  // namespace
}  // namespace huygens
