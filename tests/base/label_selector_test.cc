#include "base/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens {
namespace {

using testing::HasSubstr;

bool Selects(std::string_view selector, const Labels& labels) {
  const StatusOr<LabelSelector> parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() && parsed->Matches(labels);
}

std::string FaultOf(std::string_view selector) {
  const StatusOr<LabelSelector> parsed = LabelSelector::Parse(selector);
  return parsed.ok() ? "" : std::string(Message(parsed.status()));
}

TEST(LabelSelector, EachOperationOfKubectl) {
  const Labels labels = {{"app", "cart"}, {"example.com/tier", "gold"}, {"empty", ""}};
  EXPECT_TRUE(Selects("app=cart", labels));
  EXPECT_TRUE(Selects("app==cart", labels));
  EXPECT_FALSE(Selects("app=shop", labels));
  EXPECT_TRUE(Selects("app!=shop", labels));
  EXPECT_FALSE(Selects("app!=cart", labels));
  EXPECT_TRUE(Selects("app in (shop, cart)", labels));
  EXPECT_FALSE(Selects("app notin (shop,cart)", labels));
  EXPECT_TRUE(Selects("example.com/tier", labels));
  EXPECT_TRUE(Selects("!canary", labels));
  EXPECT_FALSE(Selects("!app", labels));
  EXPECT_TRUE(Selects("empty=", labels));
  EXPECT_TRUE(Selects("app in (cart,shop),example.com/tier=gold,!canary", labels));
  EXPECT_FALSE(Selects("app in (cart,shop),example.com/tier=silver", labels));
}

TEST(LabelSelector, AnAbsentLabelIsNotInAnything) {
  EXPECT_TRUE(Selects("app!=cart", {}));
  EXPECT_TRUE(Selects("app notin (cart)", {}));
  EXPECT_FALSE(Selects("app in (cart)", {}));
  EXPECT_TRUE(Selects("", {}));
}

TEST(LabelSelector, SaysWhatCannotBeRead) {
  EXPECT_THAT(FaultOf("app=cart,,tier=x"), HasSubstr("\"\" is no key of a label"));
  EXPECT_THAT(FaultOf("app in cart"), HasSubstr("wants values in brackets"));
  EXPECT_THAT(FaultOf("app=a b"), HasSubstr("\"a b\" is no value of a label"));
  EXPECT_THAT(FaultOf("-app"), HasSubstr("\"-app\" is no key of a label"));
  EXPECT_THAT(FaultOf("=x"), HasSubstr("is no key"));
  EXPECT_THAT(FaultOf("app in (a"), HasSubstr("brackets"));
}

TEST(LabelSelector, ExpressionsWantTheirValues) {
  EXPECT_TRUE(LabelSelector::Requirement("app", "In", {"cart"}).ok());
  EXPECT_FALSE(LabelSelector::Requirement("app", "In", {}).ok());
  EXPECT_FALSE(LabelSelector::Requirement("app", "Exists", {"cart"}).ok());
  EXPECT_TRUE(LabelSelector::Requirement("app", "DoesNotExist", {}).ok());
  EXPECT_FALSE(LabelSelector::Requirement("app", "Like", {"cart"}).ok());
}

}  // namespace
}  // namespace huygens
