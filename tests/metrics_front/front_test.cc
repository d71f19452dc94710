// A running front between an API server and whoever measures, sockets included.
#include "metrics_front/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "net/client.h"
#include "net/server.h"
#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"

namespace huygens::metrics_front {
namespace {

using testing::HasSubstr;

constexpr std::string_view kQuery = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb";
constexpr std::string_view kAutoscalerUser = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";

// Lowered from 4 CPUs to 1.2.
constexpr const char* kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop",
  "creationTimestamp":"2026-03-02T09:00:00Z","labels":{"app":"web"},"annotations":{"huygens.dev/overcommit":"{\"basis\":\"limit\"}"},
  "ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"u","controller":true}]},
  "spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"1200m"},"limits":{"cpu":"4"}}}]},
  "status":{"phase":"Running","startTime":"2026-03-02T09:00:00Z",
            "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-03-02T09:00:10Z"}]}})";
constexpr const char* kAutoscalers = R"({"kind":"HorizontalPodAutoscalerList","apiVersion":"autoscaling/v2",
  "metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"web","namespace":"shop","uid":"h"},"spec":{
  "scaleTargetRef":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web"},
  "metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":50}}}]}}]})";
constexpr const char* kScale = R"({"spec":{"replicas":1},"status":{"selector":"app=web"}})";
constexpr const char* kUpstreamSays = R"({"kind":"PodMetricsList","items":[{"metadata":{"name":"a","namespace":"shop"},
  "timestamp":"2026-03-02T09:59:45Z","window":"15s","containers":[{"name":"app","usage":{"cpu":"2"}}]}]})";

fake::Fault Reply(std::string path, std::string body, int times = -1, int code = 200) {
  return {.method = "GET", .path = std::move(path), .times = times, .code = code, .body = std::move(body)};
}

class FrontTest : public testing::Test {
 protected:
  // Before the first question.
  void Begin() {
    api_.Put(kPod);
    api_.Inject(Reply("horizontalpodautoscalers", autoscalers_, 1));
    api_.Inject({.what = fake::Fault::What::kHang, .path = "horizontalpodautoscalers", .times = -1});
    upstream_.Inject(Reply("/apis/metrics.k8s.io/v1beta1$", "{}"));
    front_ = std::make_unique<Front>(FrontOptions{.api_server = api_.Options(),
                                                  .upstream = upstream_.Options(),
                                                  .autoscalers = {std::string(kAutoscalerUser)}},
                                     Front::Environment{loop_, captured_.log, metrics_, clock_});
    EXPECT_TRUE(front_->Start().ok());
    auto server = net::Server::Start(
        loop_, {.address = "127.0.0.1:0"},
        [this](const net::Request& request, const net::Respond& respond) { front_->Handle(request, respond); });
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    port_ = server_->port();
    thread_ = std::thread([this] { loop_.Run(); });
  }
  ~FrontTest() override {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
    server_.reset();
    front_.reset();
  }

  // What is asked until it is no more said that something is not known yet.
  net::HttpReply Ask(std::string_view user) {
    if (front_ == nullptr) Begin();
    auto client = *net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(port_))});
    for (;;) {
      net::HttpReply reply =
          client->Call("GET", kQuery, "", {{"X-Remote-User", std::string(user)}}, std::chrono::seconds(20)).value();
      if (reply.body.find("waiting for") == std::string::npos) return reply;
    }
  }

  std::string autoscalers_ = kAutoscalers;
  fake::ApiServer api_, upstream_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.workloads = true}};
  SystemClock clock_;
  std::unique_ptr<Front> front_;
  std::unique_ptr<net::Server> server_;
  uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(FrontTest, TellsEverybodyElseWhatUpstreamSaysToTheByte) {
  const std::string bytes("k8s\0\n\x01", 6);
  fake::Fault fault = Reply("labelSelector", bytes);
  fault.content_type = "application/vnd.kubernetes.protobuf";
  upstream_.Inject(fault);
  const net::HttpReply reply = Ask("somebody");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body, bytes);
  EXPECT_EQ(reply.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(api_.Seen("GET", "/scale"), 0);
}

TEST_F(FrontTest, TellsTheAutoscalerWhatGivesTheCountByLimits) {
  api_.Inject(Reply("/namespaces/shop/statefulsets/web/scale", kScale));
  upstream_.Inject(Reply("labelSelector", kUpstreamSays));
  std::string expected = kUpstreamSays;
  expected.replace(expected.find(R"("2")"), 3, R"("600m")");
  EXPECT_EQ(Ask(kAutoscalerUser).body, expected);
  EXPECT_THAT(metrics_.Render(), HasSubstr(R"(huygens_metrics_front_answers_total{answer="scaled"} 1)"));
  EXPECT_EQ(Ask("somebody").body, kUpstreamSays);
}

TEST_F(FrontTest, WhoAsksForPodsOfNoAutoscalerGetsWhatWasMeasured) {
  api_.Inject(Reply("/scale", R"({"spec":{"replicas":1},"status":{"selector":"app=other"}})"));
  upstream_.Inject(Reply("labelSelector", kUpstreamSays));
  EXPECT_EQ(Ask(kAutoscalerUser).body, kUpstreamSays);
}

TEST_F(FrontTest, TheOwnerOfAnAutoscalerThatContradictsItselfIsToldSo) {
  std::string both = kAutoscalers;
  both.replace(both.find(R"([{"type")"), 1,
               R"([{"type":"Resource","resource":{"name":"cpu","target":{"averageValue":"1"}}},)");
  autoscalers_ = both;
  Begin();
  api_.Inject(Reply("/scale", kScale));
  upstream_.Inject(Reply("labelSelector", kUpstreamSays));
  EXPECT_EQ(Ask(kAutoscalerUser).body, kUpstreamSays);
  EXPECT_TRUE(api_.AwaitSeen("POST", "/namespaces/shop/events", 1));
  EXPECT_THAT(api_.last_body(), HasSubstr("several metrics of cpu that one answer cannot serve"));
}

TEST_F(FrontTest, TheAutoscalerHoldsWhereItsTargetOrUpstreamCannotBeAsked) {
  api_.Inject(Reply("/scale", R"({"kind":"Status","message":"may not"})", 1, 403));
  upstream_.Inject(Reply("labelSelector", kUpstreamSays, 1));
  const net::HttpReply forbidden = Ask(kAutoscalerUser);
  EXPECT_EQ(forbidden.code, 503);
  EXPECT_THAT(forbidden.body, HasSubstr("the scale of StatefulSet web"));
  api_.Inject(Reply("/scale", kScale));
  upstream_.ClearFaults();
  upstream_.Inject({.what = fake::Fault::What::kCutBefore, .path = "labelSelector", .times = -1});
  EXPECT_EQ(Ask(kAutoscalerUser).code, 503);
  EXPECT_EQ(Ask("somebody").code, 503);
}

}  // namespace
}  // namespace huygens::metrics_front
