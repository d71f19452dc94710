// ResourceClaims and DeviceClasses: which version is read, and what it means where huygens may not read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/decoded_object.h"
#include "kube/reflector.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/recording_sink.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using cluster::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Claim(std::string_view name, std::string_view requests = "[]", std::string_view version = "v1") {
  return Concat(R"({"apiVersion":"resource.k8s.io/)", version,
                R"(","kind":"ResourceClaim","metadata":{"namespace":"default","name":")", name,
                R"("},"spec":{"devices":{"requests":)", requests, "}}}");
}

constexpr char kClass[] =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},"spec":{"extendedResourceName":"example.com/gpu"}})";

class DeviceKindsTest : public testing::Test {
 protected:
  void Start(Kind kind) {
    auto waiter = std::make_unique<fake::ManualWaiter>();
    waiter_ = waiter.get();
    Start(kind, std::move(waiter));
  }
  void Start(Kind kind, std::unique_ptr<Waiter> waiter) {
    reflector_ = std::make_unique<Reflector>(
        ResourceOf(kind, names_), server_.Options(), sink_, std::move(waiter), [] { return 1.0; }, ReflectorOptions());
    ASSERT_TRUE(reflector_->Start().ok());
  }
  int Lists(const std::string& path) const { return server_.Seen("GET", path + "?limit"); }

  fake::ApiServer server_;
  ResourceNames names_;
  fake::RecordingSink sink_;
  fake::ManualWaiter* waiter_ = nullptr;
  std::unique_ptr<Reflector> reflector_;
};

TEST_F(DeviceKindsTest, ClaimsComeChangeAndGo) {
  server_.Put(Claim("c"));
  Start(Kind::kResourceClaim);
  ASSERT_TRUE(server_.AwaitWatch(fake::kResourceClaims));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+default/c", "end", "@1001"));
  EXPECT_TRUE(sink_.AwaitState(WatchState::kSynced));
  server_.Put(Claim("d", R"([{"name":"r","exactly":{"deviceClassName":"gpu","count":2}}])"));
  ASSERT_TRUE(sink_.AwaitWord("+default/d"));
  server_.Delete(fake::kResourceClaims, "default", "c");
  EXPECT_TRUE(sink_.AwaitWord("-default/c"));
}

TEST_F(DeviceKindsTest, ClassesComeAndGo) {
  server_.Put(kClass);
  Start(Kind::kDeviceClass);
  ASSERT_TRUE(server_.AwaitWatch(fake::kDeviceClasses));
  ASSERT_TRUE(sink_.AwaitWord("+gpu"));
  server_.Delete(fake::kDeviceClasses, "", "gpu");
  EXPECT_TRUE(sink_.AwaitWord("-gpu"));
}

TEST_F(DeviceKindsTest, AnOlderVersionIsReadWhereTheNewestIsNotServed) {
  server_.Install(fake::kResourceClaims, false);
  server_.Install(fake::kResourceClaimsBeta, true);
  server_.Put(
      Claim("c", R"([{"name":"r","deviceClassName":"gpu","allocationMode":"ExactCount","count":2}])", "v1beta1"));
  Start(Kind::kResourceClaim);
  ASSERT_TRUE(server_.AwaitWatch(fake::kResourceClaimsBeta));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+default/c", "end", "@1001"));
  EXPECT_TRUE(sink_.AwaitState(WatchState::kSynced));
  EXPECT_EQ(server_.Seen("GET", "/apis/resource.k8s.io/v1beta2/resourceclaims"), 1);
  EXPECT_EQ(Lists(fake::kResourceClaims), 1) << "asked first, and once";
  EXPECT_THAT(sink_.Faults(), testing::IsEmpty());
}

TEST_F(DeviceKindsTest, WhereNoVersionIsServedThereAreNone) {
  server_.Install(fake::kResourceClaims, false);
  Start(Kind::kResourceClaim);
  ASSERT_TRUE(sink_.AwaitState(WatchState::kAbsent));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "end"));
  EXPECT_THAT(sink_.States().back(), HasSubstr("v1, v1beta2, v1beta1"));
  server_.Install(fake::kResourceClaims, true);
  server_.Put(Claim("c"));
  waiter_->AwaitWaiting();
  waiter_->Wake();
  EXPECT_TRUE(sink_.AwaitWord("+default/c")) << "looked for again, the newest first";
}

// As after an upgrade of the control plane that drops the version that was read.
TEST_F(DeviceKindsTest, AVersionThatIsNoMoreServedIsLeft) {
  server_.Install(fake::kResourceClaims, false);
  server_.Install(fake::kResourceClaimsBeta, true);
  server_.Put(Claim("c", "[]", "v1beta1"));
  Start(Kind::kResourceClaim, std::make_unique<fake::InstantWaiter>());
  ASSERT_TRUE(server_.AwaitWatch(fake::kResourceClaimsBeta));
  server_.Install(fake::kResourceClaims, true);
  server_.Put(Claim("d"));
  server_.Silence(fake::kResourceClaimsBeta, true);
  server_.Install(fake::kResourceClaimsBeta, false);
  server_.CutWatches(fake::kResourceClaimsBeta);
  EXPECT_TRUE(sink_.AwaitWord("+default/d"));
}

TEST_F(DeviceKindsTest, WhatMayNotBeReadIsSaidWithTheRuleThatIsMissing) {
  server_.Inject({.path = fake::kResourceClaims, .times = 1, .code = 403});
  server_.Put(Claim("c"));
  Start(Kind::kResourceClaim);
  ASSERT_TRUE(sink_.AwaitState(WatchState::kForbidden));
  EXPECT_THAT(
      sink_.States().back(),
      HasSubstr("{apiGroups: [resource.k8s.io], resources: [resourceclaims, deviceclasses], verbs: [list, watch]}"));
  EXPECT_THAT(sink_.Words(), testing::IsEmpty());
  waiter_->AwaitWaiting();
  waiter_->Wake();
  EXPECT_TRUE(sink_.AwaitWord("+default/c"));
  EXPECT_TRUE(sink_.AwaitState(WatchState::kSynced));
}

TEST_F(DeviceKindsTest, AnOddObjectIsAFaultOfThatObjectAlone) {
  server_.Put(Claim("good"));
  server_.Put(Claim("odd", R"("many")"));
  server_.Put(Claim("strange", R"([{"name":"r","sometime":{}}])"));
  Start(Kind::kResourceClaim);
  ASSERT_TRUE(server_.AwaitWatch(fake::kResourceClaims));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+default/good", "+default/odd", "+default/strange", "end", "@1003"));
  EXPECT_THAT(sink_.Faults(),
              ElementsAre("default/odd: spec.devices.requests: expected an array, found a string",
                          HasSubstr("default/strange (in use): spec.devices.requests: r names no deviceClassName")));
  server_.Put(Claim("good", R"({"r":7})"));
  ASSERT_TRUE(sink_.Await([&] { return sink_.faults.size() == 3; })) << "in the watch likewise";
  server_.Put(Claim("next"));
  EXPECT_TRUE(sink_.AwaitWord("+default/next"));
}

TEST_F(DeviceKindsTest, AnOddClassIsNone) {
  const DecodedObject decoded =
      DecodePresent(Kind::kDeviceClass, R"({"metadata":{"name":"gpu"},"spec":{"extendedResourceName":{}}})", names_);
  EXPECT_FALSE(decoded.fault.ok());
  EXPECT_EQ(decoded.name, "gpu");
  EXPECT_EQ(std::get<cluster::DeviceClassGone>(*decoded.event).name, "gpu");
}

}  // namespace
}  // namespace huygens::kube
