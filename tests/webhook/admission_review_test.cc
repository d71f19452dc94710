#include "webhook/admission_review.h"

#include <gtest/gtest.h>

#include "tests/json/mutation.h"

namespace huygens::webhook {
namespace {

constexpr std::string_view kScale =
    R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",
    "kind":{"group":"autoscaling","version":"v1","kind":"Scale"},
    "resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale",
    "requestKind":{"group":"other","version":"v2","kind":"Other"},"name":"web","namespace":"shop","operation":"UPDATE",
    "userInfo":{"username":"alice","groups":["system:authenticated"]},"object":{"spec":{"replicas":4}},
    "oldObject":null,"dryRun":true,"options":{"kind":"UpdateOptions"},"newer":{"field":[1]}}})";

TEST(AdmissionReview, SaysWhatIsAsked) {
  const auto request = DecodeAdmissionReview(kScale);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->uid, "u-1");
  EXPECT_EQ(request->kind_group + "/" + request->kind, "autoscaling/Scale");
  EXPECT_EQ(request->resource_group + "/" + request->resource + "/" + request->subresource, "apps/deployments/scale");
  EXPECT_EQ(request->namespace_name + "/" + request->name, "shop/web");
  EXPECT_EQ(request->operation, Operation::kUpdate);
  EXPECT_EQ(request->user, "alice");
  EXPECT_TRUE(request->dry_run);
  EXPECT_EQ(request->object, R"({"spec":{"replicas":4}})");
  EXPECT_EQ(request->old_object, "");
}

std::string Refused(std::string_view json) {
  const auto request = DecodeAdmissionReview(json);
  return request.ok() ? "taken" : std::string(Message(request.status()));
}

TEST(AdmissionReview, RefusesWhatIsNone) {
  EXPECT_EQ(Refused(""), "not JSON: incomplete JSON at byte 0");
  EXPECT_EQ(Refused("[]"), "expected an object, found an array");
  EXPECT_EQ(Refused("{}"), "not an AdmissionReview of admission.k8s.io/v1");
  EXPECT_EQ(Refused(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"u"}})"),
            "not an AdmissionReview of admission.k8s.io/v1");
  EXPECT_EQ(Refused(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":null})"),
            "request.uid is missing");
  EXPECT_EQ(Refused(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"operation":"PATCH"}})"),
            "request.operation: expected CREATE, UPDATE, DELETE or CONNECT");
  EXPECT_EQ(Refused(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"object":"x"}})"),
            "request.object: expected an object, found a string");
}

TEST(AdmissionReview, TakesEightMegabytes) {
  const std::string object = Concat(R"({"data":")", std::string(size_t{8} << 20, 'x'), R"("})");
  const auto request = DecodeAdmissionReview(Concat(
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":)", object, "}}"));
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->object.size(), object.size());
}

TEST(AdmissionReview, EndsWellWhateverAClientChanges) {
  Mutator(kScale).ForEach([](Mutation, const std::string& text) {
    const auto request = DecodeAdmissionReview(text);
    EXPECT_TRUE(request.ok() ? !request->uid.empty() : !Message(request.status()).empty()) << text;
  });
}

TEST(AdmissionAnswer, IsShortWhereAllIsWell) {
  EXPECT_EQ(EncodeAdmissionAnswer({.uid = "u-1"}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}})");
}

// A denial without a code would reach the user as 400, and one without a reason would not be errors.IsForbidden.
TEST(AdmissionAnswer, DenialsHaveACodeAndAReason) {
  EXPECT_EQ(EncodeAdmissionAnswer({.uid = "u", .allowed = false, .message = "quota \"a\": over"}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":false,)"
            R"("status":{"code":403,"reason":"Forbidden","message":"quota \"a\": over"}}})");
  EXPECT_EQ(
      EncodeAdmissionAnswer(
          {.uid = "u", .allowed = false, .code = kServiceUnavailable, .message = "not yet", .retry_after_seconds = 1}),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":false,)"
      R"("status":{"code":503,"reason":"ServiceUnavailable","message":"not yet",)"
      R"("details":{"retryAfterSeconds":1}}}})");
}

TEST(AdmissionAnswer, WarningsHaveOneLineEach) {
  EXPECT_EQ(EncodeAdmissionAnswer({.uid = "u", .warnings = {"a\nb", "", "ü"}, .audit_annotations = {{"group", "x"}}}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true,)"
            R"("warnings":["a b","ü"],"auditAnnotations":{"group":"x"}}})");
}

}  // namespace
}  // namespace huygens::webhook
