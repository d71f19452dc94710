// What is answered while the cluster is not known: what a review proves by itself passes, all else has to come again.
#include "webhook/review_service.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "net/client.h"
#include "tests/observe/captured_log.h"
#include "tests/webhook/reviews.h"
#include "webhook/proven.h"

namespace huygens::webhook {
namespace {

using testing::HasSubstr;

bool Proven(Operation operation, std::string_view resource_group, std::string_view resource, std::string_view kind,
            std::string_view after, std::string_view before, std::string_view subresource = "") {
  AdmissionRequest request;
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
  constexpr char kOnce[] = R"({"metadata":{"name":"a"},"spec":{"hard":{"cash/limits.cpu":3}}})";
  constexpr char kWeekly[] =
      R"({"metadata":{"name":"a"},"spec":{"hard":{"cash/limits.cpu":3},"cashPolicy":{"period":"Week"}}})";
  EXPECT_FALSE(Proven(Operation::kUpdate, "quota.huygens.dev", "bizgroupresourcequotas", "BizGroupResourceQuota",
                      kWeekly, kOnce))
      << "hours that come anew are not what the parent handed out";
}

class FakeCluster final : public KnownCluster {
 public:
  Facts facts() const override { return {reviews.tree, reviews.workloads, reviews.classes, reviews.names}; }
  std::string NotReady() const override { return missing; }

  Reviews reviews;
  std::string missing = "waiting for the first list of pods";
};

// What the API server has, while no watch has told of it.
class Store final : public StatusStore {
 public:
  explicit Store(net::EventLoop& loop) : loop_(loop) {}
  void Write(const cluster::BizGroupQuota& group, Duration, Done done) override {
    cluster::BizGroupQuota& stored = groups[group.name] = group;
    stored.resource_version = std::to_string(++version_);
    loop_.Post([done, stored] { done(stored); });
  }
  void Read(const std::string& name, Duration, Done done) override {
    ++reads;
    const auto found = groups.find(name);
    StatusOr<cluster::BizGroupQuota> read = NotFound("none");
    if (found != groups.end()) read = found->second;
    if (!trouble.ok()) read = trouble;
    loop_.Post([done, read] { done(read); });
  }

  std::map<std::string, cluster::BizGroupQuota> groups;
  Status trouble;
  int reads = 0;

 private:
  net::EventLoop& loop_;
  uint64_t version_ = 1000;
};

class UntoldCluster final : public KnownCluster {
 public:
  Facts facts() const override {
    return {.tree = ledger.tree(),
            .workloads = reviews.workloads,
            .classes = reviews.classes,
            .names = reviews.names,
            .by_status = true};
  }
  std::string NotReady() const override { return {}; }

  Reviews reviews;
  Ledger ledger;
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

class WatchBehindTest : public testing::Test {
 protected:
  WatchBehindTest() {
    for (auto [name, parent] : {std::pair("org", ""), std::pair("team", "org")}) {
      cluster::BizGroupQuota group = quota::MakeGroup(name, parent, {{"limits.cpu", "2"}});
      group.uid = Concat(name, "-uid");
      group.resource_version = "5";
      group.counted_hard = group.hard;
      group.self_used = quota::Of({{"limits.cpu", "0"}});
      group.used = quota::Of({{"limits.cpu", name == std::string_view("org") ? "2" : "0"}});
      store_.groups[name] = group;
    }
  }
  static std::string Review(std::string_view group, std::string_view kind, std::string_view operation,
                            std::string_view subresource, std::string_view object, std::string_view before) {
    return Concat(
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1","kind":{"group":")",
        group, R"(","version":"v1","kind":")", kind,
        R"("},"resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":")", subresource,
        R"(","name":"web","namespace":"shop","operation":")", operation, R"(","object":)", object, R"(,"oldObject":)",
        before, "}}");
  }
  std::vector<std::string> Create(const std::vector<Deployment>& deployments) {
    std::vector<std::string> reviews;
    for (const Deployment& each : deployments)
      reviews.push_back(Review("apps", "Deployment", "CREATE", "", each.Json(), "null"));
    return Ask(reviews);
  }
  // The answers to reviews that come at once.
  std::vector<std::string> Ask(const std::vector<std::string>& reviews) {
    auto server =
        *net::Server::Start(loop_, {.address = "127.0.0.1:0"},
                            [this](const auto& request, const auto& respond) { service_.Handle(request, respond); });
    std::vector<std::string> answers(reviews.size());
    std::atomic<size_t> left = reviews.size();
    std::vector<std::thread> clients;
    for (size_t i = 0; i < reviews.size(); ++i) {
      clients.emplace_back([&, i] {
        auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(server->port()))});
        answers[i] = (*client)
                         ->Call("POST", "/validate", reviews[i], {}, std::chrono::seconds(20))
                         .value_or(net::HttpReply())
                         .body;
        if (--left == 0) loop_.Stop();
      });
    }
    loop_.Run();
    for (std::thread& client : clients) client.join();
    return answers;
  }

  net::EventLoop loop_;
  UntoldCluster cluster_;
  Store store_{loop_};
  SystemClock clock_;
  GroupCommit commit_{cluster_.ledger,
                      store_,
                      {.clock = clock_,
                       .monotonic = [] { return Duration(); },
                       .after = [](Duration, const auto&) {},
                       .random = [] { return 0.5; }}};
  const Rules rules_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{}};
  Duration now_{};
  std::function<void(Duration, std::function<void()>)> after_ = [this](Duration delay, const auto& task) {
    now_ += delay;
    loop_.Post(task);
  };
  ReviewService service_{cluster_,
                         rules_,
                         &commit_,
                         "",
                         {captured_.log, metrics_, [this] { return now_; },
                          [this](Duration delay, const std::function<void()>& task) { after_(delay, task); }}};
};

TEST_F(WatchBehindTest, AGroupThatNoWatchHasToldOfIsAskedForWithThoseAboveIt) {
  EXPECT_THAT(Create({{.replicas = 2}}), testing::ElementsAre(HasSubstr(R"("allowed":true)")));
  EXPECT_EQ(store_.reads, 2);
  EXPECT_EQ(quota::Get(store_.groups["team"].used, "limits.cpu").Canonical(), "2");
}

TEST_F(WatchBehindTest, ADryRunIsJudgedAndChargesNothing) {
  const auto dry = [](int replicas) {
    std::string review = Review("apps", "Deployment", "CREATE", "", Deployment{.replicas = replicas}.Json(), "null");
    return review.replace(review.size() - 2, 0, R"(,"dryRun":true)");
  };
  EXPECT_THAT(Ask({dry(2)}), testing::ElementsAre(HasSubstr(R"("allowed":true)")));
  EXPECT_EQ(quota::Get(store_.groups["team"].used, "limits.cpu").Canonical(), "0");
  EXPECT_THAT(store_.groups["team"].reservations, testing::IsEmpty());
  EXPECT_THAT(Ask({dry(3)}), testing::ElementsAre(HasSubstr("limits.cpu used 0 of 2, requested 3")));
}

TEST_F(WatchBehindTest, WhatIsHandedToAChildIsNotTheGroupsOwnUse) {
  EXPECT_THAT(Ask({R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1",
          "kind":{"group":"quota.huygens.dev","version":"v1alpha1","kind":"BizGroupResourceQuota"},
          "resource":{"group":"quota.huygens.dev","version":"v1alpha1","resource":"bizgroupresourcequotas"},
          "name":"below","operation":"CREATE","object":{"metadata":{"name":"below","uid":"below-uid"},
          "spec":{"parentBizGroup":"team","hard":{"limits.cpu":"1"}}},"oldObject":null}})"}),
              testing::ElementsAre(HasSubstr(R"("allowed":true)")));
  const cluster::BizGroupQuota& team = store_.groups["team"];
  EXPECT_EQ(quota::Get(team.used, "limits.cpu").Canonical(), "1");
  EXPECT_EQ(quota::Get(team.self_used, "limits.cpu").Canonical(), "0");
  ASSERT_EQ(team.reservations.size(), 1U);
  EXPECT_EQ(team.reservations.front().kind, cluster::kGroupKind);
}

TEST_F(WatchBehindTest, WhatTheApiServerDoesNotHaveIsRefused) {
  EXPECT_THAT(Create({{.group = "teem"}}), testing::ElementsAre(HasSubstr("quota bizrq/teem: no such group")));
  EXPECT_EQ(store_.reads, 1);
  EXPECT_THAT(Create({{.group = "No_Name"}}), testing::ElementsAre(HasSubstr("quota bizrq/No_Name: no such group")));
  EXPECT_EQ(store_.reads, 1);
  store_.groups.erase("org");
  EXPECT_THAT(Create({{}}), testing::ElementsAre(HasSubstr("its parent org does not exist")));
}

TEST_F(WatchBehindTest, WhereItCannotBeAskedNothingIsSaidForGood) {
  store_.trouble = Unavailable("no route");
  EXPECT_THAT(Create({{}}), testing::ElementsAre(testing::AllOf(
                                HasSubstr(R"("code":503)"), HasSubstr("bizrq/team is not known here yet: no route"))));
}

// The deployment is at version 7 as far as is known, and the Scale of one that was changed since.
TEST_F(WatchBehindTest, AScaleWaitsForTheWatchAMoment) {
  cluster_.ledger.Set(store_.groups["org"]);
  cluster_.ledger.Set(store_.groups["team"]);
  cluster_.reviews.Know(Deployment{}.Json());
  const auto scale = [&](std::string_view version) {
    return Review("autoscaling", "Scale", "UPDATE", "scale",
                  Concat(R"({"metadata":{"name":"web","uid":"web-uid","resourceVersion":")", version,
                         R"("},"spec":{"replicas":2}})"),
                  R"({"metadata":{"name":"web","uid":"web-uid"},"spec":{"replicas":1}})");
  };
  Duration waited{};
  after_ = [&](Duration delay, const std::function<void()>& task) {
    waited += delay;
    now_ += delay;
    if (waited >= std::chrono::milliseconds(60)) {
      std::string json = Deployment{}.Json();
      json.replace(json.find(R"("resourceVersion":"7")"), 21, R"("resourceVersion":"8")");
      cluster_.reviews.Know(json);
    }
    loop_.Post(task);
  };
  EXPECT_THAT(Ask({scale("8")}), testing::ElementsAre(HasSubstr(R"("allowed":true)")));
  EXPECT_EQ(waited, std::chrono::milliseconds(60));
  EXPECT_THAT(Ask({scale("9")}), testing::ElementsAre(HasSubstr("the workload to be scaled has changed")));
  EXPECT_LE(waited, std::chrono::milliseconds(60 + 1020));
}

TEST_F(WatchBehindTest, ManyThatAskTogetherAreAnswered) {
  std::vector<Deployment> crowd;
  for (int i = 0; i < 10; ++i) crowd.push_back({.name = Concat("web-", std::to_string(i))});
  const std::vector<std::string> answers = Create(crowd);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(),
                          [](const auto& each) { return each.find(R"("allowed":true)") != std::string::npos; }),
            2);
}

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
