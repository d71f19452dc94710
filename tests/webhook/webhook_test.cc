// A running `huygens webhook`, sockets included, over a directory of manifests.
#include "webhook/webhook.h"

#include <future>
#include <thread>

#include "net/client.h"
#include "tests/fake/temporary_directory.h"
#include "tests/observe/captured_log.h"
#include "tests/webhook/reviews.h"
#include "webhook/manifest_cluster.h"

namespace huygens::webhook {
namespace {

using testing::HasSubstr;

constexpr std::string_view kGroups = R"(
apiVersion: quota.huygens.dev/v1alpha1
kind: BizGroupResourceQuota
metadata: {name: team}
spec: {hard: {limits.cpu: 10}}
)";

std::string Manifest(Deployment deployment) {
  return Concat(R"({"apiVersion":"apps/v1","kind":"Deployment",)", deployment.Json().substr(1));
}

class Running {
 public:
  explicit Running(const std::string& directory) {
    settings::Configuration configuration;
    configuration.cluster.kubernetes.reset();
    configuration.cluster.manifests = {.directory = directory};
    configuration.server.address = configuration.server.admin_address = "127.0.0.1:0";
    std::promise<Status> started;
    thread_ = std::thread([this, configuration, &started] {
      auto webhook = StartWebhook(configuration, loop_, captured_.log, clock_);
      if (!webhook.ok()) return started.set_value(webhook.status());
      port_ = (*webhook)->port();
      admin_port_ = (*webhook)->admin_port();
      started.set_value(absl::OkStatus());
      loop_.Run();
    });
    status = started.get_future().get();
  }
  ~Running() {
    loop_.Stop();
    thread_.join();
  }

  net::HttpReply Post(std::string_view path, std::string_view body) const { return Send(port_, "POST", path, body); }
  net::HttpReply Admin(std::string_view path) const { return Send(admin_port_, "GET", path, ""); }

  Status status;

 private:
  static net::HttpReply Send(uint16_t port, std::string_view method, std::string_view path, std::string_view body) {
    auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(port))});
    return (*client)->Call(method, path, body, {}, std::chrono::seconds(20)).value();
  }

  net::EventLoop loop_;
  observe::CapturedLog captured_;
  SystemClock clock_;
  uint16_t port_ = 0, admin_port_ = 0;
  std::thread thread_;
};

std::string Review(std::string_view object) {
  return Concat(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1",
      "kind":{"group":"apps","version":"v1","kind":"Deployment"},
      "resource":{"group":"apps","version":"v1","resource":"deployments"},"name":"new","namespace":"shop",
      "operation":"CREATE","object":)",
                object, R"(,"oldObject":null,"dryRun":false}})");
}

TEST(Webhook, AnswersAReviewByItsManifests) {
  const fake::TemporaryDirectory directory;
  directory.Write("groups.yaml", kGroups);
  directory.Write("web.json", Manifest({.replicas = 6}));
  const Running webhook(directory.path());
  ASSERT_TRUE(webhook.status.ok()) << webhook.status;
  EXPECT_EQ(webhook.Admin("/readyz").code, 200);

  const auto fits = webhook.Post("/validate", Review(Deployment{.replicas = 4}.Json()));
  EXPECT_EQ(fits.code, 200);
  EXPECT_THAT(fits.body, HasSubstr(R"("uid":"r-1","allowed":true)"));
  EXPECT_THAT(fits.body, HasSubstr(R"("auditAnnotations":{"group":"team","charged":"limits.cpu=4"})"));
  EXPECT_THAT(webhook.Post("/validate", Review(Deployment{.replicas = 5}.Json())).body,
              HasSubstr(R"("allowed":false,"status":{"code":403,"reason":"Forbidden",)"
                        R"("message":"quota bizrq/team: limits.cpu used 6 of 10, requested 5"})"));

  EXPECT_EQ(webhook.Post("/validate", "{}").code, 400);
  EXPECT_EQ(webhook.Post("/filter", "{}").code, 404);
}

TEST(Webhook, TellsWhichManifestCannotBeRead) {
  const fake::TemporaryDirectory directory;
  directory.Write("groups.yaml",
                  "kind: BizGroupResourceQuota\napiVersion: quota.huygens.dev/v1alpha1\n"
                  "metadata: {name: team}\nspec: {hard: {limits.gpu: 1}}\n");
  const Running webhook(directory.path());
  EXPECT_THAT(std::string(Message(webhook.status)), HasSubstr("groups.yaml:1: spec.hard.limits.gpu: unknown key"));
}

TEST(ManifestCluster, ChargesEachWorkloadOnce) {
  const fake::TemporaryDirectory directory;
  directory.Write("groups.yaml", kGroups);
  directory.Write("a/web.json", Manifest({.replicas = 2}));
  directory.Write("b/owned.json", Manifest({.replicas = 2, .owner = "argoproj.io/v1alpha1 Rollout", .name = "owned"}));
  directory.Write("c/free.json", Manifest({.replicas = 2, .group = "", .name = "free"}));
  ManifestCluster cluster({});
  ASSERT_TRUE(cluster.Load(directory.path()).ok());
  EXPECT_EQ(quota::Used(cluster.facts().tree, "team", "limits.cpu"), "2");
  EXPECT_NE(cluster.facts().workloads.ByName("apps", "Deployment", "shop", "web"), nullptr);
  directory.Write("d/again.json", Manifest({}));
  EXPECT_THAT(std::string(Message(ManifestCluster({}).Load(directory.path()))),
              HasSubstr("again.json:1: a second object of UID web-uid"));
}

}  // namespace
}  // namespace huygens::webhook
