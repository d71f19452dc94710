// What k8s.io/apiserver/pkg/quota/v1 (Kubernetes 1.36.3) computed from the same lists. Not compared: `api_rounded_a`,
// since amounts of pods are read as whole milli-cores and bytes.
#include <gtest/gtest.h>

#include "tests/quota/vectors.h"

namespace huygens::quota {
namespace {

class QuotaArithmeticConformance : public testing::Test {
 protected:
  void SetUp() override {
    vectors_ = test::ReadVectors("quota_arithmetic.jsonl.gz");
    if (vectors_.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("quota_arithmetic.jsonl.gz");
    EXPECT_EQ(vectors_.size(), 160u);
  }
  std::vector<json::object> vectors_;
};

// Texts are exact where both sides have the key: elsewhere a copied amount may be spelt as it was given. Printed
// decimal amounts of 10^21 and more lose their suffix, so what is compared is the text, too, not only the value.
void ExpectList(const Amounts& found, const json::value& wanted, const json::object& a, const json::object& b) {
  ASSERT_EQ(found.size(), wanted.as_object().size()) << ToText(found) << " wanted " << json::serialize(wanted);
  for (const auto& [key, amount] : found) {
    const json::value* text = wanted.as_object().if_contains(key);
    ASSERT_TRUE(text) << key;
    const std::string expected(text->as_string());
    if (a.contains(key) && b.contains(key)) {
      EXPECT_EQ(amount.Text(), expected) << key;
    } else {
      EXPECT_TRUE(amount.Text() == expected || amount.Canonical() == expected || amount == *Quantity::Parse(expected))
          << key << " " << amount.Text() << " wanted " << expected;
    }
  }
}

void ExpectKeys(std::vector<std::string> found, const json::value& wanted) {
  std::vector<std::string> keys;
  for (const json::value& key : wanted.as_array()) keys.emplace_back(key.as_string());
  EXPECT_EQ(found, keys);
}

TEST_F(QuotaArithmeticConformance, TwoLists) {
  size_t count = 0;
  for (const json::object& vector : vectors_) {
    if (vector.at("kind").as_string() != "binary") continue;
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    ++count;
    const json::object& left = vector.at("a").as_object();
    const json::object& right = vector.at("b").as_object();
    const json::object& expect = vector.at("expect").as_object();
    const Amounts a = ToAmounts(vector.at("a")), b = ToAmounts(vector.at("b"));

    Amounts sum = a;
    Add(sum, b);
    ExpectList(sum, expect.at("add"), left, right);
    Amounts difference = a;
    Subtract(difference, b);
    ExpectList(difference, expect.at("subtract"), left, right);
    ExpectList(Increase(a, b), expect.at("subtract_non_negative"), left, right);
    Amounts larger = a;
    Max(larger, b);
    ExpectList(larger, expect.at("max"), left, {});

    Amounts names;
    for (const json::value& name : vector.at("names").as_array()) Set(names, std::string(name.as_string()), Quantity());
    ExpectList(Masked(a, names), expect.at("mask_a"), left, {});
    Amounts nonzero = a;
    RemoveZeros(nonzero);
    ExpectList(nonzero, expect.at("remove_zeros_a"), left, {});
    EXPECT_EQ(nonzero.empty(), expect.at("is_zero_a").as_bool());

    EXPECT_EQ(a == b, expect.at("equals").as_bool());
    ExpectKeys(ExceededKeys(a, b), expect.at("exceeded"));
    EXPECT_EQ(ExceededKeys(a, b).empty(), expect.at("a_less_or_equal_b").as_bool());
    ExpectKeys(NegativeKeys(a), expect.at("negative_a"));
    for (const auto& [key, order] : expect.at("compare").as_object()) {
      EXPECT_EQ(Get(a, std::string(key)).Compare(Get(b, std::string(key))), order.to_number<int>()) << key;
    }
  }
  EXPECT_EQ(count, 142u);
}

TEST_F(QuotaArithmeticConformance, SumOfLists) {
  size_t count = 0;
  for (const json::object& vector : vectors_) {
    if (vector.at("kind").as_string() != "sum") continue;
    SCOPED_TRACE(vector.at("id").to_number<int64_t>());
    ++count;
    Amounts sum;
    for (const json::value& list : vector.at("lists").as_array()) Add(sum, ToAmounts(list));
    const json::object& wanted = vector.at("expect").at("sum").as_object();
    ExpectList(sum, wanted, {}, {});
  }
  EXPECT_EQ(count, 18u);
}

}  // namespace
}  // namespace huygens::quota
