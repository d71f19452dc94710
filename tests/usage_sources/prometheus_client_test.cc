#include "usage_sources/prometheus_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"
#include "tests/usage_sources/fake_prometheus.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Time kNow{1'795'262'400s};
constexpr char kEmpty[] = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";

std::unique_ptr<PrometheusClient> To(net::ClientOptions server, Duration timeout = 20s) {
  auto client = PrometheusClient::Create(std::move(server), timeout);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

PrometheusVisitor Nothing() {
  return {[](const PrometheusLabels&) { return true; }, [](Time, double) {}};
}

TEST(PrometheusClient, PostsAFormToTheUrlWithItsPrefixAndTheToken) {
  FakePrometheus prometheus;
  fake::TemporaryDirectory directory;
  auto client =
      To({.base_url = prometheus.Url() + "/prefix/", .bearer_token_file = directory.Write("token", "secret\n")});
  const auto warnings = client->Query(R"(a{b="c d&+%"}[1m])", kNow + 1ms, Nothing());
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, IsEmpty());
  const auto calls = prometheus.TakeCalls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].path, "/prefix/api/v1/query");
  EXPECT_EQ(calls[0].authorization, "Bearer secret");
  EXPECT_EQ(calls[0].query(), R"(a{b="c d&+%"}[1m])");
  EXPECT_EQ(calls[0].form.Query("time"), "1795262400.001");
  EXPECT_EQ(calls[0].form.Query("timeout"), "18.000");
}

TEST(PrometheusClient, SendsUserPasswordAndHeadersAndShowsThemToNobodyElse) {
  FakePrometheus prometheus;
  fake::TemporaryDirectory directory;
  const std::string password_file = directory.Write("password", "pa:ss\n");
  auto created =
      PrometheusClient::Create({.base_url = prometheus.Url(), .username = "me", .password_file = password_file}, 20s,
                               {{"X-Scope-OrgID", "hidden"}});
  ASSERT_TRUE(created.ok()) << created.status();
  ASSERT_TRUE((*created)->Query("a", kNow, Nothing()).ok());
  auto calls = prometheus.TakeCalls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].authorization, "Basic bWU6cGE6c3M=");  // me:pa:ss
  EXPECT_EQ(calls[0].tenant, "hidden");

  directory.Write("password", "another\n");
  prometheus.Break([](const FakePrometheus::Call&) { return FakePrometheus::Json(401, "no"); });
  const Status refused = (*created)->Query("a", kNow, Nothing()).status();
  EXPECT_EQ(prometheus.TakeCalls().at(0).authorization, "Basic bWU6YW5vdGhlcg==") << "read again";
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(Message(refused)),
              AllOf(Not(HasSubstr("another")), Not(HasSubstr("hidden")), HasSubstr("user and password")));

  auto without = To({.base_url = prometheus.Url(), .username = "me", .password_file = "/no/such"});
  EXPECT_EQ(without->Query("a", kNow, Nothing()).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(PrometheusClient::Create({.base_url = prometheus.Url(), .username = "m:e"}, 1s).ok());
}

TEST(PrometheusClient, ShowsTheClientCertificateThatTheServerWants) {
  const net::testing::Authority authority("ours");
  const fake::TemporaryDirectory folder;
  const net::testing::Issued issued = authority.Issue({"prometheus", "IP:127.0.0.1"}),
                             ours = authority.Issue({"huygens", ""});
  net::ServerOptions options;
  options.tls.cert_file = folder.Write("server.crt", issued.certificate);
  options.tls.key_file = folder.Write("server.key", issued.key);
  options.tls.client_ca_file = folder.Write("ca.crt", authority.Certificate());
  net::testing::TestServer server(
      options, [](const net::Request&, const net::Respond& respond) { respond({200, "application/json", kEmpty}); });
  const net::ClientOptions without = {.base_url = server.Url("https"),
                                      .ca_file = folder.Write("ours.crt", authority.Certificate())};
  net::ClientOptions with = without;
  with.cert_file = folder.Write("client.crt", ours.certificate);
  with.key_file = folder.Write("client.key", ours.key);
  const Status accepted = To(with)->Query("a", kNow, Nothing()).status();
  EXPECT_TRUE(accepted.ok()) << accepted;
  const Status refused = To(without)->Query("a", kNow, Nothing()).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated) << refused;
  EXPECT_THAT(std::string(Message(refused)), HasSubstr("another client certificate"));
}

// Of a long answer nothing is kept but the series at hand: the limit alone decides how long it may be.
TEST(PrometheusClient, ReadsAnAnswerPieceByPiece) {
  std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)";
  for (int i = 0; i < 20'000; ++i) {
    body += Concat(i == 0 ? "" : ",", R"({"metric":{"pod":"p)", std::to_string(i), R"("},"value":[1795262400,"1"]})");
  }
  body += "]}}";
  FakePrometheus prometheus;
  prometheus.Break([&](const FakePrometheus::Call&) { return FakePrometheus::Json(200, body); });
  int series = 0, samples = 0;
  const PrometheusVisitor count{[&](const PrometheusLabels&) { return ++series > 0; },
                                [&](Time, double) { ++samples; }};
  auto client = To({.base_url = prometheus.Url(), .max_reply_bytes = body.size()});
  ASSERT_TRUE(client->Query("a", kNow, count).ok());
  EXPECT_EQ(series, 20'000);
  EXPECT_EQ(samples, 20'000);
  EXPECT_EQ(client->traffic().bytes, static_cast<int64_t>(body.size()));
  client.reset();  // the fake serves one connection after the other
  const Status too_large =
      To({.base_url = prometheus.Url(), .max_reply_bytes = body.size() - 1})->Query("a", kNow, count).status();
  EXPECT_TRUE(IsTooLarge(too_large)) << too_large;
  EXPECT_FALSE(IsTooLarge(absl::OkStatus()));
}

TEST(PrometheusClient, TrustsTheAuthorityThatItIsGivenAndNoOther) {
  const net::testing::Authority authority("ours"), stranger("theirs");
  const fake::TemporaryDirectory folder;
  const net::testing::Issued issued = authority.Issue({"prometheus", "IP:127.0.0.1"});
  net::ServerOptions options;
  options.tls.cert_file = folder.Write("server.crt", issued.certificate);
  options.tls.key_file = folder.Write("server.key", issued.key);
  net::testing::TestServer server(
      options, [](const net::Request&, const net::Respond& respond) { respond({200, "application/json", kEmpty}); });
  const auto ask = [&](const std::string& ca_file) {
    return To({.base_url = server.Url("https"), .ca_file = ca_file})->Query("a", kNow, Nothing()).status();
  };
  EXPECT_TRUE(ask(folder.Write("ours.crt", authority.Certificate())).ok());
  const Status refused = ask(folder.Write("theirs.crt", stranger.Certificate()));
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated) << refused;
  EXPECT_THAT(std::string(Message(refused)), AllOf(HasSubstr(server.Url("https")), HasSubstr("configured CA")));
}

TEST(PrometheusClient, ReadsACompressedAnswer) {
  // `printf '{"status":"success","data":{"result":[]},"warnings":["partial"]}' | gzip -n`
  constexpr unsigned char kBytes[] = {
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x0d, 0xca, 0xc1, 0x09, 0xc0, 0x20, 0x10,
      0x04, 0xc0, 0x5e, 0xf6, 0x6d, 0x05, 0xd7, 0x8a, 0xf8, 0x58, 0x8c, 0x04, 0x41, 0x24, 0xb8, 0x77, 0xe4,
      0x21, 0xf6, 0x9e, 0xcc, 0x7b, 0x36, 0xe4, 0xf4, 0x10, 0x0c, 0x8a, 0x5a, 0x9b, 0x84, 0x84, 0x8b, 0x4e,
      0xd8, 0xc6, 0x6a, 0x8a, 0xe1, 0xb0, 0x5c, 0x4e, 0xc2, 0xcb, 0x35, 0xfb, 0xbc, 0xff, 0x99, 0xf1, 0x70,
      0x79, 0xe7, 0x40, 0x39, 0x1f, 0xd1, 0xb8, 0xfd, 0x83, 0x40, 0x00, 0x00, 0x00};
  FakePrometheus prometheus;
  prometheus.Break([&](const FakePrometheus::Call&) {
    return FakePrometheus::Json(200, std::string(reinterpret_cast<const char*>(kBytes), sizeof kBytes),
                                "Content-Encoding: gzip\r\n");
  });
  const auto warnings = To({.base_url = prometheus.Url()})->Query("a", kNow, Nothing());
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, ElementsAre("partial"));
}

TEST(PrometheusClient, CutsARangeAtElevenThousandPoints) {
  FakePrometheus prometheus;
  auto client = To({.base_url = prometheus.Url()});
  ASSERT_TRUE(client->QueryRange("a", kNow, kNow + 11'000min, 1min, Nothing()).ok());
  const auto calls = prometheus.TakeCalls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].path, "/api/v1/query_range");
  EXPECT_EQ(calls[0].form.Query("start"), "1795262400.000");
  EXPECT_EQ(calls[0].form.Query("end"), "1795922340.000");
  EXPECT_EQ(calls[0].form.Query("step"), "60.000");
  EXPECT_EQ(calls[1].form.Query("start"), "1795922400.000");
  EXPECT_EQ(calls[1].form.Query("end"), "1795922400.000");
}

TEST(PrometheusClient, AsksAgainWhenPrometheusHadClosedTheConnection) {
  FakePrometheus prometheus;
  int calls = 0;
  prometheus.Break([&](const FakePrometheus::Call&) { return ++calls == 2 ? std::optional("") : std::nullopt; });
  auto client = To({.base_url = prometheus.Url()});
  EXPECT_TRUE(client->Query("a", kNow, Nothing()).ok());
  EXPECT_TRUE(client->Query("a", kNow, Nothing()).ok());
  EXPECT_EQ(calls, 3);
}

struct Case {
  std::string reply;
  absl::StatusCode code;
  std::string text;
};

TEST(PrometheusClient, SaysWhatFailedAndWhatToDo) {
  using Code = absl::StatusCode;
  const Case cases[] = {
      {FakePrometheus::Error(400, "bad_data", "1:1: parse error"), Code::kInvalidArgument,
       "parse error (HTTP 400, bad_data): check the queries"},
      {FakePrometheus::Error(422, "execution", "found duplicate series"), Code::kOutOfRange, "check the queries"},
      {FakePrometheus::Error(422, "execution", "the query time range exceeds the limit"), Code::kOutOfRange,
       "the limit (HTTP 422, execution): above a limit"},
      {FakePrometheus::Error(422, "execution", "the query exceeded the maximum number of chunks"),
       Code::kResourceExhausted, "number of chunks (HTTP 422, execution): load config/prometheus/rules.yaml"},
      {FakePrometheus::Error(422, "execution", "cannot select more than -search.maxSamplesPerQuery=1000 samples"),
       Code::kResourceExhausted, "or raise that limit"},
      {FakePrometheus::Error(422, "execution",
                             "query processing would load too many samples into memory in query execution"),
       Code::kResourceExhausted, "too many samples into memory in query execution (HTTP 422, execution): load "},
      {FakePrometheus::Error(503, "timeout", "query timed out in expression evaluation"), Code::kResourceExhausted,
       "or raise that limit and usage.prometheus.timeout"},
      {FakePrometheus::Error(503, "unavailable", "TSDB not ready"), Code::kUnavailable, "TSDB not ready"},
      {FakePrometheus::Error(500, "internal", "disk"), Code::kUnavailable, "disk (HTTP 500, internal)"},
      {FakePrometheus::Json(503, "Service Unavailable"), Code::kUnavailable, "overloaded, starting, or away"},
      {FakePrometheus::Json(401, "<html>"), Code::kUnauthenticated, "check the bearer token"},
      {FakePrometheus::Json(401, "no org id"), Code::kUnauthenticated, "X-Scope-OrgID"},
      {FakePrometheus::Json(404, "404 page not found"), Code::kUnavailable, "path prefix"},
      {FakePrometheus::Json(200, "<html>log in</html>"), Code::kUnavailable, "not an answer of Prometheus"},
      {FakePrometheus::Json(200, R"({"status":"success","data":{"result":[{"metric":)"), Code::kUnavailable,
       "breaks off in the middle (not JSON: incomplete"},
      {FakePrometheus::Json(200, std::string(2000, ' ')), Code::kResourceExhausted,
       "larger than 1000 bytes: raise usage.prometheus.maxReplyBytes"},
  };
  for (const Case& each : cases) {
    FakePrometheus prometheus;
    prometheus.Break([&](const FakePrometheus::Call&) { return each.reply; });
    auto client = To({.base_url = prometheus.Url(), .bearer_token = "secret", .max_reply_bytes = 1000});
    const Status status = client->Query("sum(secret_metric)", kNow, Nothing()).status();
    EXPECT_EQ(status.code(), each.code) << status;
    EXPECT_THAT(std::string(Message(status)),
                AllOf(HasSubstr(each.text), HasSubstr(prometheus.Url()), Not(HasSubstr("secret"))));
  }
}

TEST(PrometheusClient, SaysThatNobodyListens) {
  auto client = To({.base_url = "http://127.0.0.1:1"});
  EXPECT_EQ(client->Query("a", kNow, Nothing()).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(PrometheusClient::Create({.base_url = "prometheus:9090"}, 1s).ok());
}

TEST(PrometheusClient, WaitsNoLongerThanItsTimeout) {
  FakePrometheus prometheus;
  prometheus.Break([](const FakePrometheus::Call&) { return "hang"; });
  auto client = To({.base_url = prometheus.Url()}, 50ms);
  EXPECT_EQ(client->Query("a", kNow, Nothing()).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(PrometheusClient, EndsWhenCancelled) {
  FakePrometheus prometheus;
  prometheus.Break([](const FakePrometheus::Call&) { return "hang"; });
  auto client = To({.base_url = prometheus.Url()});
  std::thread other([&] {
    prometheus.arrived.Take();
    client->Cancel();
  });
  EXPECT_EQ(client->Query("a", kNow, Nothing()).status().code(), absl::StatusCode::kCancelled);
  other.join();
  EXPECT_EQ(client->Query("a", kNow, Nothing()).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace huygens::usage_sources
