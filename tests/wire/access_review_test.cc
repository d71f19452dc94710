#include "wire/access_review.h"

#include <gtest/gtest.h>

namespace huygens::wire {
namespace {

TEST(AccessReview, AsksForOneselfOrForAServiceAccount) {
  EXPECT_EQ(AccessReviewText({.verb = "create", .resource = "pods", .subresource = "binding"}),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{)"
            R"("verb":"create","resource":"pods","subresource":"binding"}}})");
  EXPECT_EQ(AccessReviewText({.verb = "get",
                              .group = "coordination.k8s.io",
                              .resource = "leases",
                              .namespace_name = "s",
                              .name = "l",
                              .service_account = "a/b"}),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"resourceAttributes":{)"
            R"("verb":"get","group":"coordination.k8s.io","resource":"leases","namespace":"s","name":"l"},)"
            R"("user":"system:serviceaccount:a:b","groups":["system:authenticated","system:serviceaccounts",)"
            R"("system:serviceaccounts:a"]}})");
  EXPECT_TRUE(*DecodeAccessReview(R"({"status":{"allowed":true,"reason":"RBAC"}})"));
  EXPECT_FALSE(*DecodeAccessReview(R"({"status":{"allowed":false}})"));
  EXPECT_FALSE(DecodeAccessReview(R"({"status":{}})").ok());
}

}  // namespace
}  // namespace huygens::wire
