#include "base/resource.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace huygens {
namespace {

using Model = std::map<ResourceId, int64_t>;

std::vector<ResourceVector::Entry> Entries(const ResourceVector& amounts) { return {amounts.begin(), amounts.end()}; }
std::vector<ResourceVector::Entry> Entries(const Model& model) { return {model.begin(), model.end()}; }

ResourceVector Of(const Model& model) {
  ResourceVector amounts;
  for (const auto& [resource, amount] : model) amounts.Set(resource, amount);
  return amounts;
}

TEST(ResourceVector, IsSmall) { EXPECT_LE(sizeof(ResourceVector), 24u); }

TEST(ResourceVector, AnAbsentAmountIsNotAnAmountOfZero) {
  const ResourceVector zero{{kMemory, 0}};
  EXPECT_TRUE(zero.Has(kMemory));
  EXPECT_EQ(zero.Get(kMemory), 0);
  EXPECT_FALSE(zero.Has(kCpu));
  EXPECT_EQ(zero.Get(kCpu), 0);
  EXPECT_NE(zero, ResourceVector());
  EXPECT_NE(zero, (ResourceVector{{kCpu, 0}}));
}

// Set, Add and Max in any order and of any number of resources.
RC_GTEST_PROP(ResourceVectorProperty, HoldsWhatAMapHolds, ()) {
  ResourceVector amounts;
  Model model;
  const int steps = *rc::gen::inRange(0, 30);
  for (int i = 0; i < steps; ++i) {
    const auto resource = *rc::gen::inRange<ResourceId>(0, 12);
    const auto amount = *rc::gen::inRange<int64_t>(-100, 100);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        amounts.Set(resource, amount);
        model[resource] = amount;
        break;
      case 1:
        amounts.Add(resource, amount);
        model[resource] += amount;
        break;
      default:
        amounts.Max(ResourceVector{{resource, amount}});
        model[resource] = model.contains(resource) ? std::max(model[resource], amount) : amount;
        break;
    }
    RC_ASSERT(Entries(amounts) == Entries(model));
  }
  for (ResourceId resource = 0; resource < 13; ++resource) {
    RC_ASSERT(amounts.Has(resource) == model.contains(resource));
    RC_ASSERT(amounts.Get(resource) == (model.contains(resource) ? model[resource] : 0));
  }
}

RC_GTEST_PROP(ResourceVectorProperty, CopiesAreEqualAndApart, (const Model& one, const Model& other)) {
  const ResourceVector original = Of(one);
  ResourceVector copy = original;
  RC_ASSERT(copy == original);
  copy.Set(7, 7);
  copy.Add(original);
  RC_ASSERT(Entries(original) == Entries(one));

  ResourceVector assigned = Of(other);
  RC_ASSERT((assigned == original) == (one == other));
  assigned = original;
  RC_ASSERT(assigned == original);
  assigned = Of(other);
  RC_ASSERT(Entries(assigned) == Entries(other));
  ResourceVector moved = std::move(assigned);
  RC_ASSERT(Entries(moved) == Entries(other));
  RC_ASSERT(assigned.empty());  // NOLINT(bugprone-use-after-move)
  assigned = moved;
  RC_ASSERT(assigned == moved);
}

TEST(ToQuantity, IsTheWayBackOfBaseUnits) {
  ResourceNames names;
  const auto text = [](ResourceId resource, int64_t amount) { return ToQuantity(resource, amount).Canonical(); };
  EXPECT_EQ(text(kCpu, 1500), "1500m");
  EXPECT_EQ(text(kMemory, int64_t{4} << 30), "4Gi");
  EXPECT_EQ(text(kEphemeralStorage, int64_t{1} << 40), "1Ti");
  EXPECT_EQ(text(*names.Intern("hugepages-2Mi"), int64_t{6} << 20), "6Mi");
  EXPECT_EQ(text(*names.Intern("nvidia.com/gpu"), 1024), "1024");
  for (ResourceId resource : {kCpu, kMemory, kPodSlots}) {
    EXPECT_EQ(BaseUnits(resource, ToQuantity(resource, 12345)), 12345);
  }
}

}  // namespace
}  // namespace huygens
