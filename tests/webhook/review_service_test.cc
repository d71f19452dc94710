// What is answered while the cluster is not known: what a review proves by itself passes, all else has to come again.
#include "webhook/review_service.h"

#include <memory>
#include <thread>

#include "net/client.h"
#include "tests/observe/captured_log.h"
#include "tests/webhook/reviews.h"
#include "webhook/proven.h"

namespace huygens::webhook {
namespace {

using testing::HasSubstr;
using wire::Operation;

bool Proven(Operation operation, std::string_view resource_group, std::string_view resource, std::string_view kind,
            std::string_view after, std::string_view before, std::string_view subresource = "") {
  wire::AdmissionRequest request;
  request.operation = operation;
  request.kind_group = subresource == "scale" ? "autoscaling" : resource_group;
  request.resource_group = resource_group;
  request.resource = resource;
  request.kind = kind;
  request.subresource = subresource;
  request.object = after;
  request.old_object = before;
  return TakesNothing(request, ResourceNames(), Rules());
}

bool Update(const Deployment& before, const Deployment& after) {
  return Proven(Operation::kUpdate, "apps", "deployments", "Deployment", after.Json(), before.Json());
}

TEST(Proven, AWorkloadThatEndsIsOfNoGroupOrDoesNotGrow) {
  EXPECT_TRUE(Update({.replicas = 3}, {.replicas = 3}));
  EXPECT_TRUE(Update({.replicas = 3}, {.replicas = 0}));
  EXPECT_FALSE(Update({.replicas = 3}, {.replicas = 4}));
  EXPECT_FALSE(Update({}, {.cores = "2"}));
  EXPECT_TRUE(Update({}, {.replicas = 9, .deleting = true}));
  EXPECT_TRUE(Update({.group = ""}, {.replicas = 9, .group = ""}));
  EXPECT_TRUE(Update({}, {.replicas = 9, .group = ""}));
  EXPECT_FALSE(Update({.group = ""}, {}));
  EXPECT_FALSE(Update({.group = "other"}, {}));
  EXPECT_FALSE(Update({}, {.model = "A4"}));
  EXPECT_FALSE(Update({.replicas = 3}, {.replicas = 3, .cores = ""})) << "it would grow unseen from now on";
  const auto create = [](const Deployment& deployment) {
    return Proven(Operation::kCreate, "apps", "deployments", "Deployment", deployment.Json(), "");
  };
  EXPECT_FALSE(create({}));
  EXPECT_FALSE(create({.replicas = 0})) << "its group may not be there";
  EXPECT_TRUE(create({.group = ""}));
  EXPECT_TRUE(Proven(Operation::kDelete, "apps", "deployments", "Deployment", "", Deployment().Json()));
}

TEST(Proven, ABorrowedTemplateProvesNothing) {
  const auto rollout = [](int replicas) {
    return Concat(
        R"({"metadata":{"name":"r","uid":"r","labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":)",
        std::to_string(replicas), R"(,"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}})");
  };
  EXPECT_FALSE(Proven(Operation::kUpdate, "argoproj.io", "rollouts", "Rollout", rollout(9), rollout(1)));
}

TEST(Proven, AScaleAnAutoscalerAndAGroup) {
  const auto scale = [](int from, int to) {
    const auto object = [](int replicas) { return Concat(R"({"spec":{"replicas":)", std::to_string(replicas), "}}"); };
    return Proven(Operation::kUpdate, "apps", "deployments", "Scale", object(to), object(from), "scale");
  };
  EXPECT_TRUE(scale(3, 3));
  EXPECT_TRUE(scale(3, 1));
  EXPECT_FALSE(scale(3, 4));
  const auto autoscaler = [](Operation operation, int from, int to) {
    const auto object = [](int most) {
      return Concat(R"({"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":)",
                    std::to_string(most), "}}");
    };
    return Proven(operation, "autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler", object(to),
                  from == 0 ? "" : object(from));
  };
  EXPECT_TRUE(autoscaler(Operation::kUpdate, 3, 3));
  EXPECT_TRUE(autoscaler(Operation::kUpdate, 3, 2));
  EXPECT_FALSE(autoscaler(Operation::kUpdate, 3, 4));
  EXPECT_FALSE(autoscaler(Operation::kCreate, 0, 1));
  EXPECT_TRUE(autoscaler(Operation::kDelete, 3, 3));
  const auto group = [](std::string_view cores) {
    return Concat(R"({"metadata":{"name":"a"},"spec":{"hard":{"limits.cpu":)", cores, "}}}");
  };
  const auto change = [&](Operation operation, std::string_view from, std::string_view to) {
    return Proven(operation, "quota.huygens.dev", "bizgroupresourcequotas", "BizGroupResourceQuota", group(to),
                  group(from));
  };
  EXPECT_TRUE(change(Operation::kUpdate, "3", "3"));
  EXPECT_FALSE(change(Operation::kUpdate, "3", "4"));
  EXPECT_FALSE(change(Operation::kUpdate, "3", "2")) << "children may have it";
  EXPECT_FALSE(change(Operation::kDelete, "3", "3")) << "it may have children";
}

class FakeCluster final : public KnownCluster {
 public:
  Facts facts() const override { return {reviews.tree, reviews.workloads, reviews.classes, reviews.names}; }
  std::string NotReady() const override { return missing; }

  Reviews reviews;
  std::string missing = "waiting for the first list of pods";
};

// The service behind a real server, since an answer is one of its connections.
class Served {
 public:
  Served() {
    net::ServerOptions options;
    options.address = "127.0.0.1:0";
    server_ = *net::Server::Start(loop_, options, [this](const net::Request& request, const net::Respond& respond) {
      service_.Handle(request, respond);
    });
    thread_ = std::thread([this] { loop_.Run(); });
  }
  ~Served() {
    loop_.Stop();
    thread_.join();
  }

  std::string Update(const Deployment& before, const Deployment& after) const {
    auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(server_->port()))});
    const std::string review = Concat(
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1",
        "kind":{"group":"apps","version":"v1","kind":"Deployment"},
        "resource":{"group":"apps","version":"v1","resource":"deployments"},"name":"web","namespace":"shop",
        "operation":"UPDATE","object":)",
        after.Json(), R"(,"oldObject":)", before.Json(), "}}");
    return (*client)->Call("POST", "/validate", review, {}, std::chrono::seconds(20))->body;
  }

 private:
  FakeCluster cluster_;
  const Rules rules_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{}};
  ReviewService service_{cluster_, rules_, nullptr, "", {captured_.log, metrics_, [] { return Duration(); }}};
  net::EventLoop loop_;
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

TEST(ReviewService, BeforeAllListsHaveComeOnlyWhatIsProvenPasses) {
  const Served served;
  EXPECT_THAT(served.Update({.replicas = 3}, {.replicas = 2}), HasSubstr(R"("allowed":true)"));
  // Its owner has no group as far as is known, and that is not far.
  const std::string grows =
      served.Update({.owner = "apps/v1 Deployment"}, {.replicas = 9, .owner = "apps/v1 Deployment"});
  EXPECT_THAT(grows, HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(grows, HasSubstr(R"("code":503)"));
  EXPECT_THAT(grows, HasSubstr(R"("retryAfterSeconds":1)"));
  EXPECT_THAT(grows, HasSubstr("waiting for the first list of pods"));
}

}  // namespace
}  // namespace huygens::webhook
