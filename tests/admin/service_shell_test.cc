// A service that knows no verb, no cluster and no decision core, within the shell of all.
#include "admin/service_shell.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

#include "net/client.h"
#include "tests/net/fixture.h"
#include "tests/observe/captured_log.h"

namespace huygens::admin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EchoPage final : public Pages {
 public:
  Question Find(std::string_view path, std::string_view) const override {
    if (path != "/debug/echo") return {};
    return {.ask = [](const Answer& answer) { answer({.body = "echo"}); }};
  }
  std::string_view Endpoints() const override { return "/debug/echo   the same again\n"; }
};

class ServiceShellTest : public testing::Test {
 protected:
  ServiceShellTest() {
    configuration_.address = configuration_.admin_address = "127.0.0.1:0";
    configuration_.lame_duck = configuration_.shutdown_grace = std::chrono::hours(1);
    configuration_.request_deadline = std::chrono::seconds(1);
  }
  ~ServiceShellTest() override {
    loop_.Join();
    shell_.reset();
  }
  void Start(std::unique_ptr<const Pages> pages = nullptr, bool callers = true) {
    const auto echo = [](const net::Request& request, const net::Respond& respond) {
      respond({.body = std::string(request.body)});
    };
    ServiceWork work{.handle = callers ? net::Handler(echo) : nullptr,
                     .on_refused = [](const net::RefusedRequest&) {},
                     .readiness =
                         [this](bool verbose) {
                           verbose_ = verbose;
                           return observe::Readiness{{{.name = "work", .detail = "done"}}};
                         },
                     .refresh_metrics = [this] { ++refreshed_; },
                     .pages = std::move(pages)};
    auto shell = ServiceShell::Start(configuration_, nullptr, "me",
                                     {loop_.loop, captured_.log, captured_.clock, metrics_}, std::move(work));
    ASSERT_TRUE(shell.ok()) << shell.status();
    shell_ = *std::move(shell);
    loop_.Run();
  }
  static net::HttpReply Call(uint16_t port, std::string_view method, std::string_view path, std::string_view body) {
    auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(port))});
    auto reply = (*client)->Call(method, path, body, {}, net::testing::kPatience);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : net::HttpReply{};
  }
  net::HttpReply Admin(std::string_view path) { return Call(shell_->admin_port(), "GET", path, ""); }

  settings::ServerConfiguration configuration_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  bool verbose_ = false;
  int refreshed_ = 0;
  net::testing::LoopThread loop_;
  std::unique_ptr<ServiceShell> shell_;
};

TEST_F(ServiceShellTest, ServesAndSaysWhere) {
  Start();
  EXPECT_EQ(Call(shell_->port(), "POST", "/any", "hello").body, "hello");
  EXPECT_THAT(captured_.Lines(),
              testing::Contains(AllOf(HasSubstr("msg=serving address=127.0.0.1:" + std::to_string(shell_->port())),
                                      HasSubstr("identity=me"))));
  EXPECT_EQ(Admin("/readyz").body, "ok\n");
  EXPECT_EQ(Admin("/readyz?verbose").body, "[+]work done\nreadyz check passed\n");
  EXPECT_THAT(Admin("/metrics").body, HasSubstr("huygens_build_info"));
  EXPECT_EQ(loop_.Ask([this] { return refreshed_; }), 1);
}

TEST_F(ServiceShellTest, ADrainIsSeenWhileAnswersAreStillGiven) {
  Start();
  net::testing::Inbox<size_t> done;
  loop_.Ask([&] { return shell_->Drain([&](size_t cut) { done.Put(cut); }), 0; });
  const net::HttpReply reply = Admin("/readyz");
  EXPECT_EQ(reply.code, 503);
  EXPECT_THAT(reply.body, HasSubstr("[-]serving draining: answers are still given"));
  EXPECT_TRUE(loop_.Ask([this] { return verbose_ && shell_->draining(); })) << "a service that ends says all it has";
  EXPECT_EQ(Call(shell_->port(), "POST", "/any", "still").body, "still");
  loop_.Ask([this] { return shell_->EndLameDuck(), 0; });
  EXPECT_EQ(done.Take(), 0u);
}

TEST_F(ServiceShellTest, WithoutCallersItServesTheAdminPagesAloneAndDrainsAtOnce) {
  Start(nullptr, /*callers=*/false);
  EXPECT_EQ(shell_->port(), 0);
  EXPECT_THAT(captured_.Lines(), testing::Contains(HasSubstr("msg=serving address=none")));
  EXPECT_EQ(Admin("/readyz").body, "ok\n");
  net::testing::Inbox<size_t> done;
  loop_.Ask([&] { return shell_->Drain([&](size_t cut) { done.Put(cut); }), 0; });
  EXPECT_EQ(done.Take(), 0u);
  EXPECT_THAT(Admin("/readyz").body, HasSubstr("[-]serving draining"));
}

TEST_F(ServiceShellTest, HasThePagesOfTheServiceAndNoOthers) {
  Start(std::make_unique<EchoPage>());
  EXPECT_EQ(Admin("/debug/echo").body, "echo");
  EXPECT_THAT(Admin("/debug/nodes").body, AllOf(HasSubstr("/debug/echo   the same again\n"), HasSubstr("/metrics")));
  EXPECT_THAT(Admin("/").body, Not(HasSubstr("/debug/nodes")));
}

TEST_F(ServiceShellTest, WithoutPagesThereAreNone) {
  Start();
  EXPECT_EQ(Admin("/debug/nodes").code, 404);
  EXPECT_THAT(Admin("/").body, Not(HasSubstr("/debug")));
}

TEST_F(ServiceShellTest, AnAddressThatCannotBeUsedIsNamed) {
  configuration_.address = "nowhere";
  auto shell =
      ServiceShell::Start(configuration_, nullptr, "me", {loop_.loop, captured_.log, captured_.clock, metrics_},
                          {.handle = [](const net::Request&, const net::Respond&) {},
                           .readiness = [](bool) { return observe::Readiness(); }});
  EXPECT_THAT(std::string(Message(shell.status())), HasSubstr("server.address"));
}

}  // namespace
}  // namespace huygens::admin
