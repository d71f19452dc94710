#include "kube/metrics_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/fake/api_server.h"

namespace huygens::kube {
namespace {

using fake::Fault;
using testing::HasSubstr;

class MetricsApiTest : public testing::Test {
 protected:
  void Answer(int code, const std::string& body) {
    server_.Inject(
        {.what = Fault::What::kReply, .path = "/apis/metrics.k8s.io/v1beta1/pods", .code = code, .body = body});
  }
  fake::ApiServer server_;
  ResourceNames names_;
  std::unique_ptr<MetricsApi> api_ = *MetricsApi::Create(server_.Options(), names_);
};

TEST_F(MetricsApiTest, ReadsAllAndSaysOfWhatItCannotReadWhy) {
  Answer(200, R"({"kind":"PodMetricsList","metadata":{},"items":[
      {"metadata":{"name":"a","namespace":"s"},"timestamp":"2026-11-21T12:00:00Z","containers":[{"usage":{"cpu":"5m"}}]},
      {"metadata":{"name":"b","namespace":"s"},"timestamp":"2026-11-21T12:00:00Z","containers":[{"usage":{"cpu":"lots"}}]},
      {"metadata":{}},
      {"metadata":{"name":"c","namespace":"s"},"containers":[{"usage":{"cpu":"7m"}}]}]})");
  const auto pods = api_->Pods();
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 4u);
  EXPECT_EQ((*pods)[0].fault, "");
  EXPECT_EQ((*pods)[1].name, "b");
  EXPECT_THAT((*pods)[1].fault, testing::StartsWith("s/b: containers[0].usage.cpu: quantity \"lots\""));
  EXPECT_FALSE((*pods)[1].timestamp) << "no measurement";
  EXPECT_EQ((*pods)[2].fault, "(no name): metadata.name is missing");
  EXPECT_EQ((*pods)[3].usage.Get(kCpu), 7);
}

TEST_F(MetricsApiTest, TellsAnAbsentApiFromOneThatFails) {
  Answer(404, "404 page not found");
  EXPECT_TRUE(absl::IsNotFound(api_->Pods().status()));
  Answer(
      503,
      R"({"kind":"Status","status":"Failure","message":"the server is currently unable to handle the request","code":503})");
  const Status down = api_->Pods().status();
  EXPECT_TRUE(absl::IsUnavailable(down));
  EXPECT_THAT(std::string(Message(down)), HasSubstr("currently unable to handle the request"));
  Answer(403, "{}");
  EXPECT_THAT(std::string(Message(api_->Pods().status())), HasSubstr("ClusterRole"));
  Answer(200, "not JSON");
  EXPECT_FALSE(api_->Pods().ok());
}

TEST_F(MetricsApiTest, CanBeCutShort) {
  server_.Inject({.what = Fault::What::kHang, .path = "/apis/metrics.k8s.io/v1beta1/nodes"});
  std::thread cutter([&] {
    EXPECT_TRUE(server_.AwaitSeen("GET", "/apis/metrics.k8s.io/v1beta1/nodes", 1));
    api_->Cancel();
  });
  EXPECT_TRUE(absl::IsCancelled(api_->Nodes().status()));
  cutter.join();
}

}  // namespace
}  // namespace huygens::kube
