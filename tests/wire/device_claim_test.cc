#include "wire/device_claim.h"

#include <gtest/gtest.h>

#include "tests/json/mutation.h"
#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

// "gpu=2 nic=1", or the defect.
std::string Devices(std::string_view json) {
  const auto claim = DecodeResourceClaim(json);
  if (!claim.ok()) return std::string(Message(claim.status()));
  std::string text = claim->defect;
  for (const auto& [device_class, count] : claim->devices) {
    text += Concat(text.empty() ? "" : " ", device_class, "=", std::to_string(count));
  }
  return text;
}

std::string DevicesOf(std::string_view requests) {
  return Devices(
      Concat(R"({"metadata":{"name":"c","namespace":"ns"},"spec":{"devices":{"requests":)", requests, "}}}"));
}

TEST(ResourceClaim, ReadsWhatABudgetNeeds) {
  const auto claim = DecodeResourceClaim(samples::kResourceClaim);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(claim->Key(), "ns/train-gpus");
  EXPECT_EQ(claim->defect, "");
  EXPECT_EQ(Devices(samples::kResourceClaim), "gpu.example.com=4 nic.example.com=1");
  EXPECT_EQ(claim->reserved_for, (std::vector<std::string>{"uid-b", "uid-a"})) << "in the order of the object";
}

struct Case {
  const char* requests;
  const char* devices;
  const char* why;
};

TEST(ResourceClaim, CountsWhatResourceQuotaCounts) {
  const Case cases[] = {
      {R"([])", "", "nothing"},
      {R"(null)", "", "nothing"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":3}}])", "gpu=3",
       "count"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu"}}])", "gpu=1", "as the API server fills it in"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"All"}}])", "gpu=32",
       "the most there can be"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"All","count":2}}])", "gpu=32",
       "no count of it"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","adminAccess":true,"count":2}}])", "gpu=2",
       "counts as others"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","count":2}},{"name":"s","exactly":{"deviceClassName":"gpu"}}])",
       "gpu=3", "all requests"},
      {R"([{"name":"r","firstAvailable":[{"name":"big","deviceClassName":"gpu","count":1},)"
       R"({"name":"small","deviceClassName":"gpu","count":4},{"name":"other","deviceClassName":"npu","count":2}]}])",
       "gpu=4 npu=2", "the worst of each class"},
      {R"([{"name":"r","firstAvailable":[{"name":"a","deviceClassName":"gpu","allocationMode":"All"}]},)"
       R"({"name":"s","exactly":{"deviceClassName":"gpu"}}])",
       "gpu=33", "alternatives and others"},
      {R"([{"name":"r","deviceClassName":"gpu","allocationMode":"ExactCount","count":2}])", "gpu=2", "v1beta1"},
      {R"([{"name":"r","deviceClassName":"gpu","allocationMode":"All"}])", "gpu=32", "v1beta1"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","count":9223372036854775807}},)"
       R"({"name":"s","exactly":{"deviceClassName":"gpu","count":2}}])",
       "gpu=9223372036854775807", "no overflow"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"Some","count":2}}])", "",
       "a mode that is not known counts nothing, as upstream"},
      {R"([{"name":"r"}])", "", "so does a kind of request"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","count":-1}}])",
       "spec.devices.requests[0].exactly.count: a negative count", "a defect"},
      {R"([{"name":"r","exactly":{"deviceClassName":"gpu","count":"2"}}])",
       "spec.devices.requests[0].exactly.count: expected a whole number, found a string", "a defect"},
      {R"({"r":1})", "spec.devices.requests: expected an array, found an object", "a defect"},
  };
  for (const Case& each : cases) EXPECT_EQ(DevicesOf(each.requests), each.devices) << each.why << each.requests;
}

TEST(ResourceClaim, SaysWhichRequestCountsNothing) {
  Status left_out;
  const auto claim = DecodeResourceClaim(
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"Some"}}]}}})",
      &left_out);
  ASSERT_TRUE(claim.ok());
  EXPECT_EQ(claim->defect, "");
  EXPECT_EQ(Message(left_out), "spec.devices.requests: r has the unknown allocationMode Some; it counts nothing");
}

TEST(ResourceClaim, KnowsPodsAmongConsumersOnly) {
  const auto claim = DecodeResourceClaim(
      R"({"metadata":{"name":"c"},"status":{"reservedFor":[{"apiGroup":"scheduling.k8s.io","resource":"podgroups","uid":"g"},)"
      R"({"resource":"pods","name":"a","uid":"u"},{"resource":"pods","uid":""}]}})");
  ASSERT_TRUE(claim.ok());
  EXPECT_EQ(claim->reserved_for, std::vector<std::string>{"u"});
}

TEST(ResourceClaim, ATemplateIsTheClaimThatWouldBeMadeFromIt) {
  const char* json =
      R"({"kind":"ResourceClaimTemplate","metadata":{"name":"t","namespace":"ns"},"spec":{"metadata":{"labels":{}},)"
      R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","count":2}}]}}}})";
  EXPECT_EQ(Devices(json), "gpu=2");
  EXPECT_EQ(DecodeResourceClaim(json)->Key(), "ns/t/template");
}

TEST(ResourceClaim, WhatHasNoNameIsNone) {
  EXPECT_FALSE(DecodeResourceClaim(R"({"metadata":{}})").ok());
  EXPECT_FALSE(DecodeResourceClaim(R"({"metadata":{"name":7}})").ok());
  EXPECT_FALSE(DecodeResourceClaim("[]").ok());
}

TEST(DeviceClass, ReadsItsExtendedResource) {
  const auto device_class = DecodeDeviceClass(samples::kDeviceClass);
  ASSERT_TRUE(device_class.ok()) << device_class.status();
  EXPECT_EQ(device_class->name, "gpu.example.com");
  EXPECT_EQ(device_class->extended_resource, "example.com/gpu");
  EXPECT_EQ(device_class->created, 1795262400);
  const auto without =
      DecodeDeviceClass(R"({"metadata":{"name":"a","creationTimestamp":null},"spec":{"selectors":[]}})");
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->extended_resource, "");
  EXPECT_FALSE(DecodeDeviceClass(R"({"metadata":{},"spec":{}})").ok());
  EXPECT_FALSE(DecodeDeviceClass(R"({"metadata":{"name":"a"},"spec":{"extendedResourceName":1}})").ok());
}

TEST(ResourceClaim, AnyChangeOfAMemberIsAClaimOrAClearError) {
  for (const std::string_view sample : {samples::kResourceClaim, samples::kDeviceClass}) {
    Mutator(sample).ForEach([&](Mutation, const std::string& text) {
      const auto claim = DecodeResourceClaim(text);
      if (!claim.ok()) {
        EXPECT_FALSE(Message(claim.status()).empty()) << text;
        return;
      }
      EXPECT_FALSE(claim->name.empty()) << text;
      EXPECT_TRUE(claim->defect.empty() || claim->devices.empty()) << text;
      for (const auto& [device_class, count] : claim->devices) EXPECT_GE(count, 0) << text;
    });
  }
}

}  // namespace
}  // namespace huygens::wire
