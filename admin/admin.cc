#include "admin/admin.h"

#include <map>
#include <thread>

#include "absl/strings/match.h"
#include "admin/query_string.h"
#include "admin/turns.h"
#include "observe/instruments.h"

namespace huygens::admin {

namespace {

// Probes must get in whatever else is connected: whoever is silent or slow has seconds, and gives way before that when
// all places are taken.
constexpr size_t kMostConnections = 64;
constexpr auto kFirstRequest = std::chrono::seconds(5);
constexpr auto kRead = std::chrono::seconds(5);
constexpr auto kWrite = std::chrono::seconds(20);  // a page of 32 MB at 1.6 MB/s
constexpr auto kIdle = std::chrono::seconds(60);   // beyond the usual scrape interval
// Answers that clients have not taken: beyond it /metrics is refused.
constexpr size_t kMostInFlight = 16 << 20;
// For /debug, which is answered one at a time.
constexpr size_t kMostWaitingForTurn = 8;

constexpr std::string_view kEndpoints =
    "/healthz               whether the decision thread answers\n"
    "/readyz[?verbose]      whether huygens can decide, and what each part says\n"
    "/metrics               for Prometheus\n";

net::Response Text(int status, std::string body) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(body)};
}
std::string Seconds(Duration duration) {
  std::string text = std::to_string(std::chrono::duration<double>(duration).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "s";
}

// The lines of kube-apiserver's /readyz?verbose, which monitoring tools and people know.
net::Response Render(const observe::Readiness& readiness, bool verbose) {
  bool ready = readiness.Ready();
  if (ready && !verbose) return Text(200, "ok\n");
  std::string body;
  for (const observe::Readiness::Item& item : readiness.items) {
    body += Concat(item.warning ? "[!]" : item.ok ? "[+]" : "[-]", item.name, " ", item.detail, "\n");
  }
  body += ready ? "readyz check passed\n" : "readyz check failed\n";
  return Text(ready ? 200 : 503, std::move(body));
}

// What follows "Bearer "; empty without it.
std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!absl::StartsWithIgnoreCase(ToAbsl(authorization), ToAbsl(kScheme))) return {};
  return authorization.substr(kScheme.size());
}

net::Response Refused(const AccessVerdict& verdict) {
  using What = AccessVerdict::What;
  net::Response response = Text(verdict.what == What::kNobody      ? 401
                                : verdict.what == What::kForbidden ? 403
                                                                   : 503,
                                Concat(verdict.why, "\n"));
  if (verdict.what == What::kNobody) response.header_lines = "WWW-Authenticate: Bearer\r\n";
  return response;
}

}  // namespace

// Runs on the admin thread, but for what it posts to the decision loop.
class Admin::Impl {
 public:
  Impl(AdminSources sources, AdminOptions options) : sources_(std::move(sources)), options_(std::move(options)) {}
  ~Impl() {
    if (!thread_.joinable()) return;
    loop_.Stop();
    thread_.join();
  }

  Status Start() {
    net::ServerOptions server;
    server.address = options_.address;
    server.allow_plain_http = options_.allow_plain_http;
    server.max_body_bytes = 4096;
    server.max_connections = kMostConnections;
    server.unfinished_give_way = true;
    server.first_request_timeout = kFirstRequest;
    server.read_timeout = kRead;
    server.write_timeout = kWrite;
    server.idle_timeout = kIdle;
    server.observers = options_.observers;
    auto started = net::Server::Start(
        loop_, std::move(server),
        [this](const net::Request& request, net::Respond respond) { Handle(request, std::move(respond)); });
    if (!started.ok()) return Annotate(started.status(), "server.adminAddress");
    server_ = *std::move(started);
    thread_ = std::thread([this] { loop_.Run(); });
    return absl::OkStatus();
  }

  uint16_t port() const { return server_->port(); }
  size_t bytes_in_flight() const { return server_->bytes_in_flight(); }

 private:
  // Called on the admin thread with what the decision thread made.
  using Answer = std::function<void(net::Response)>;

  struct Waiting {
    Answer answer;
    net::Timer patience;
  };

  void Handle(const net::Request& request, net::Respond respond) {
    std::string_view path = request.path;
    if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (request.method != "GET" && request.method != "HEAD") {
      return respond(Text(405, Concat(request.method, " is not served here, GET is\n")));
    }
    if (path == "/") return respond(Text(200, Endpoints()));
    if (path == "/healthz") return Ask(respond, 500, [](const Answer& answer) { answer(Text(200, "ok\n")); });
    if (path == "/readyz") return AskReadiness(request, std::move(respond));
    if (path == "/metrics") return AskMetrics(std::move(respond));
    if (path.starts_with("/debug/")) return Authorize(request, path, std::move(respond));
    respond(Text(404, Concat("nothing at ", request.path, "; there is\n", Endpoints())));
  }

  std::string Endpoints() const {
    return Concat(kEndpoints, sources_.pages ? sources_.pages->Endpoints() : std::string_view());
  }

  void AskReadiness(const net::Request& request, net::Respond respond) {
    bool verbose = QueryValue(request.query, "verbose").value_or("false") != "false";
    Ask(std::move(respond), 503,
        [this, verbose](const Answer& answer) { answer(Render(sources_.readiness(verbose), verbose)); });
  }

  void AskMetrics(net::Respond respond) {
    // Rendered on this thread, and also when the decision thread hangs: that is when somebody wants to see them.
    auto render = [this] {
      return net::Response{.status = 200,
                           .content_type = std::string(observe::Instruments::kContentType),
                           .body = sources_.render_metrics()};
    };
    if (server_->bytes_in_flight() > kMostInFlight) {
      return respond(Text(503, "too many answers are on their way to clients that do not take them\n"));
    }
    if (!sources_.refresh_metrics) return respond(render());
    uint64_t number = Await(std::move(respond), render);
    PostToDecision([this, number, render] {
      sources_.refresh_metrics();
      loop_.Post([this, number, render] { Finish(number, render()); });
    });
  }

  // The pages below /debug name every pod: for this machine, and for whom the API server vouches.
  void Authorize(const net::Request& request, std::string_view path, net::Respond respond) {
    if (request.from_loopback) return AskPage(path, request.query, std::move(respond));
    if (!sources_.authorize) {
      return respond(
          Text(403, "/debug is for this machine only: go through `kubectl port-forward` or `kubectl exec`\n"));
    }
    std::string token(BearerToken(request.authorization));
    if (token.empty()) {
      return respond(Refused({AccessVerdict::What::kNobody,
                              "/debug wants a bearer token, unless you ask from this machine (kubectl port-forward)"}));
    }
    const std::string late = "the API server did not say in time whether you may; try again\n";
    const uint64_t number = Await(std::move(respond), [late] { return Text(503, late); });
    // The views of the request hold for as long as its Respond, which waits under that number.
    sources_.authorize(
        std::move(token), std::string(path),
        [this, alive = std::weak_ptr<bool>(alive_), number, path, query = request.query](const AccessVerdict& verdict) {
          if (alive.expired()) return;
          loop_.Post([this, number, path, query, verdict] {
            auto entry = waiting_.extract(number);
            if (entry.empty()) return;
            if (verdict.what != AccessVerdict::What::kAllowed) return entry.mapped().answer(Refused(verdict));
            AskPage(path, query, std::move(entry.mapped().answer));
          });
        });
  }

  void AskPage(std::string_view path, std::string_view query, Answer answer) {
    Pages::Question question = sources_.pages ? sources_.pages->Find(path, query) : Pages::Question();
    if (!question.ask) return answer(Text(404, Concat("nothing at ", path, "; there is\n", Endpoints())));
    turns_.Enter([this, question = std::move(question), answer = std::move(answer)](const Turns::Turn& turn) {
      if (turn == nullptr) {
        net::Response busy = Text(503, "other questions to /debug are being answered; try again\n");
        busy.header_lines = "Retry-After: 1\r\n";
        return answer(std::move(busy));
      }
      // The turn ends when the answer is taken, or its connection gone.
      Answer in_turn = [answer, turn](net::Response response) {
        response.more = [turn, more = std::move(response.more)](net::NextPiece next) {
          more ? more(std::move(next)) : next("");
        };
        answer(std::move(response));
      };
      question.on_decision ? Ask(std::move(in_turn), 503, question.ask) : question.ask(in_turn);
    });
  }

  // Runs `question` on the decision thread; `status` is that of the answer when it does not come to it in time.
  void Ask(Answer answer, int status, std::function<void(const Answer&)> question) {
    std::string late = Concat("decision thread did not answer within ", Seconds(options_.patience), "\n");
    uint64_t number = Await(std::move(answer), [status, late = std::move(late)] { return Text(status, late); });
    PostToDecision([this, number, question = std::move(question)] {
      question([this, number](net::Response response) {
        loop_.Post([this, number, response = std::move(response)]() mutable { Finish(number, std::move(response)); });
      });
    });
  }

  // Answers with what `late` makes unless Finish(the returned number) comes first.
  uint64_t Await(Answer answer, std::function<net::Response()> late) {
    uint64_t number = ++asked_;
    auto patience = loop_.After(options_.patience, [this, number, late = std::move(late)] { Finish(number, late()); });
    waiting_.emplace(number, Waiting{std::move(answer), std::move(patience)});
    return number;
  }

  void Finish(uint64_t number, net::Response response) {
    auto entry = waiting_.extract(number);
    if (!entry.empty()) entry.mapped().answer(std::move(response));
  }

  // Tasks that the decision loop still holds when this object goes do nothing.
  void PostToDecision(net::EventLoop::Task task) {
    sources_.decision.Post([alive = std::weak_ptr<bool>(alive_), task = std::move(task)]() mutable {
      if (!alive.expired()) task();
    });
  }

  const AdminSources sources_;
  const AdminOptions options_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  net::EventLoop loop_;
  Turns turns_{loop_, options_.patience, kMostWaitingForTurn};
  std::unique_ptr<net::Server> server_;
  uint64_t asked_ = 0;
  std::map<uint64_t, Waiting> waiting_;
  std::thread thread_;
};

StatusOr<std::unique_ptr<Admin>> Admin::Start(AdminSources sources, AdminOptions options) {
  auto impl = std::make_unique<Impl>(std::move(sources), std::move(options));
  HUYGENS_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Admin>(new Admin(std::move(impl)));
}

Admin::Admin(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Admin::~Admin() = default;

uint16_t Admin::port() const { return impl_->port(); }
size_t Admin::bytes_in_flight() const { return impl_->bytes_in_flight(); }

}  // namespace huygens::admin
