#include "extender/admin.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <thread>

#include "base/json_text.h"
#include "extender/debug_json.h"
#include "extender/query_string.h"
#include "extender/quota_json.h"
#include "extender/quota_page.h"
#include "extender/usage_page.h"

namespace huygens::extender {

namespace {

constexpr size_t kNodesPerSlice = 50;  // of /debug/nodes: some hundred microseconds of the decision thread
constexpr size_t kDefaultDecisions = 20;

constexpr std::string_view kEndpoints =
    "/healthz               whether the decision thread answers\n"
    "/readyz[?verbose]      whether huygens can decide, and what each part says\n"
    "/metrics               for Prometheus\n"
    "/debug/decisions       the last decisions; ?pod=NAMESPACE/NAME or ?uid=UID, &limit=N\n"
    "/debug/nodes           every node: mode, allocatable, requested\n"
    "/debug/nodes/NAME      one node: its zones and the pods that hold them, its use over a week\n"
    "/debug/usage           the nodes used most; ?by=RESOURCE&limit=N, and &cpu=2&memory=4Gi: how many such pods fit\n"
    "/debug/quotas          budgets of business groups and what is used of them; ?group=NAME: that one and those "
    "below\n"
    "/debug/quotas/pods/NAMESPACE/NAME   what one pod costs its group, and whether it fits\n";

net::Response Text(int status, std::string body) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(body)};
}
net::Response Json(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body)};
}

net::Response Unknown(std::string_view what) {
  std::string body = "{\"error\":";
  AppendJsonString(body, what);
  return {.status = 404, .content_type = "application/json", .body = body + "}\n"};
}

std::string Seconds(Duration duration) {
  std::string text = std::to_string(std::chrono::duration<double>(duration).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "s";
}

// The lines of kube-apiserver's /readyz?verbose, which monitoring tools and people know.
net::Response Render(const Readiness& readiness, bool verbose) {
  bool ready = readiness.Ready();
  if (ready && !verbose) return Text(200, "ok\n");
  std::string body;
  for (const Readiness::Item& item : readiness.items) {
    body += Concat(item.warning ? "[!]" : item.ok ? "[+]" : "[-]", item.name, " ", item.detail, "\n");
  }
  body += ready ? "readyz check passed\n" : "readyz check failed\n";
  return Text(ready ? 200 : 503, std::move(body));
}

net::Response Decisions(const observe::DecisionRing& ring, std::string_view query) {
  if (std::string key = UnknownKey(query, {"pod", "uid", "limit"}); !key.empty()) {
    return Text(400, Concat("no parameter is called ", key, "; there are pod, uid and limit\n"));
  }
  size_t limit = kDefaultDecisions;
  if (auto text = QueryValue(query, "limit")) {
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (error != std::errc() || end != text->data() + text->size() || limit == 0) {
      return Text(400, Concat("limit must be a number from 1, not \"", *text, "\"\n"));
    }
  }
  const std::string pod = QueryValue(query, "pod").value_or(""), uid = QueryValue(query, "uid").value_or("");
  return Json(ring.Json({pod, uid}, limit) + "\n");
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
    server.max_connections = 64;
    server.events = options_.events;
    auto started = net::Server::Start(
        loop_, std::move(server),
        [this](const net::Request& request, net::Respond respond) { Handle(request, std::move(respond)); });
    if (!started.ok()) return Annotate(started.status(), "admin server");
    server_ = *std::move(started);
    thread_ = std::thread([this] { loop_.Run(); });
    return absl::OkStatus();
  }

  uint16_t port() const { return server_->port(); }

 private:
  // Called on the admin thread with what the decision thread made.
  using Answer = std::function<void(net::Response)>;

  struct Waiting {
    net::Respond respond;
    net::Timer patience;
  };

  void Handle(const net::Request& request, net::Respond respond) {
    std::string_view path = request.path;
    if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (request.method != "GET" && request.method != "HEAD") {
      return respond(Text(405, Concat(request.method, " is not served here, GET is\n")));
    }
    if (path == "/") return respond(Text(200, std::string(kEndpoints)));
    if (path == "/healthz") return Ask(respond, 500, [](const Answer& answer) { answer(Text(200, "ok\n")); });
    if (path == "/readyz") return AskReadiness(request, std::move(respond));
    if (path == "/metrics") return AskMetrics(std::move(respond));
    if (path == "/debug/decisions") return respond(Decisions(sources_.decisions, request.query));
    if (path == "/debug/quotas") return AskQuotas(request.query, std::move(respond));
    constexpr std::string_view kQuotaPod = "/debug/quotas/pods/";
    if (path.starts_with(kQuotaPod)) return AskPodQuota(path.substr(kQuotaPod.size()), std::move(respond));
    if (path == "/debug/usage") return AskUsage(request.query, std::move(respond));
    if (path == "/debug/nodes")
      return Ask(respond, 503, [this](Answer answer) { ListNodes({}, 0, std::move(answer)); });
    constexpr std::string_view kNode = "/debug/nodes/";
    if (path.starts_with(kNode)) return AskNode(PercentDecoded(path.substr(kNode.size())), std::move(respond));
    respond(Text(404, Concat("nothing at ", request.path, "; there is\n", kEndpoints)));
  }

  void AskReadiness(const net::Request& request, net::Respond respond) {
    bool verbose = QueryValue(request.query, "verbose").value_or("false") != "false";
    Ask(std::move(respond), 503,
        [this, verbose](const Answer& answer) { answer(Render(sources_.readiness(), verbose)); });
  }

  void AskMetrics(net::Respond respond) {
    // Rendered on this thread, and also when the decision thread hangs: that is when somebody wants to see them.
    auto render = [this] {
      return net::Response{.status = 200,
                           .content_type = std::string(observe::Metrics::kContentType),
                           .body = sources_.metrics.Render()};
    };
    if (!sources_.refresh_metrics) return respond(render());
    uint64_t number = Await(std::move(respond), render);
    PostToDecision([this, number, render] {
      sources_.refresh_metrics();
      loop_.Post([this, number, render] { Finish(number, render()); });
    });
  }

  void AskNode(std::string name, net::Respond respond) {
    Ask(std::move(respond), 503, [this, name = std::move(name)](const Answer& answer) {
      std::string body;
      if (AppendNode(body, sources_.placement, name, sources_.clock.Now(), sources_.resources))
        return answer(Json(body + "\n"));
      answer(Unknown(Concat("no Node called ", name, " is known; /debug/nodes lists all")));
    });
  }

  void AskUsage(std::string_view query, net::Respond respond) {
    auto page = UsagePage::Parse(query, sources_.placement.options(), sources_.resources);
    if (!page.ok()) return respond(Text(400, Concat(Message(page.status()), "\n")));
    Ask(std::move(respond), 503,
        [this, page = *std::move(page)](Answer answer) { ListUsage(page, std::move(answer)); });
  }

  // Decision thread, one slice after another as ListNodes.
  void ListUsage(UsagePage page, Answer answer) {
    const Time now = sources_.clock.Now();
    if (!page.Step(sources_.placement, sources_.resources, now)) {
      return answer(Json(page.Json(sources_.placement, now) + "\n"));
    }
    PostToDecision([this, page = std::move(page), answer = std::move(answer)]() mutable {
      ListUsage(std::move(page), std::move(answer));
    });
  }

  void AskQuotas(std::string_view query, net::Respond respond) {
    if (std::string key = UnknownKey(query, {"group"}); !key.empty()) {
      return respond(Text(400, Concat("no parameter is called ", key, "; there is group\n")));
    }
    Ask(std::move(respond), 503, [this, group = QueryValue(query, "group").value_or("")](Answer answer) {
      const quota::Account* account = sources_.placement.quota();
      if (account && !group.empty() && !account->tree().groups().contains(group)) {
        return answer(Unknown(Concat("no group called ", group, " is known; /debug/quotas lists all")));
      }
      ListQuotas(QuotaPage(EnforcementOf(sources_.placement), group), std::move(answer));
    });
  }

  // Decision thread, one slice after another as ListNodes.
  void ListQuotas(QuotaPage page, Answer answer) {
    const quota::Account* account = sources_.placement.quota();
    if (!account || !page.Step(account->tree())) return answer(Json(page.Json() + "\n"));
    PostToDecision([this, page = std::move(page), answer = std::move(answer)]() mutable {
      ListQuotas(std::move(page), std::move(answer));
    });
  }

  // `path`: NAMESPACE/NAME
  void AskPodQuota(std::string_view path, net::Respond respond) {
    const size_t slash = std::min(path.find('/'), path.size());
    std::string space = PercentDecoded(path.substr(0, slash));
    std::string name = PercentDecoded(path.substr(std::min(slash + 1, path.size())));
    if (space.empty() || name.empty()) {
      return respond(Text(400, "a pod is asked for as /debug/quotas/pods/NAMESPACE/NAME\n"));
    }
    Ask(std::move(respond), 503, [this, space = std::move(space), name = std::move(name)](const Answer& answer) {
      auto pod = sources_.placement.state().FindPod(space, name);
      if (!pod) pod = sources_.pods.Find(space, name);
      if (!pod) return answer(Unknown(Concat("no pod called ", space, "/", name, " is known")));
      std::string body;
      AppendPodQuota(body, sources_.placement, *pod);
      answer(Json(body + "\n"));
    });
  }

  // Decision thread. One slice of nodes, then another task: requests of kube-scheduler go between. Indexes hold still
  // enough for that: a node that comes or goes meanwhile may or may not be listed.
  void ListNodes(std::string body, cluster::NodeIndex next, Answer answer) {
    const cluster::State& state = sources_.placement.state();
    if (next == 0) body = "{\"nodes\":[";
    size_t end = std::min<size_t>(state.NodeSlots(), next + kNodesPerSlice);
    for (; next < end; ++next) {
      if (state.NodeName(next).empty()) continue;
      if (body.back() == '}') body += ',';
      AppendNodeSummary(body, sources_.placement, next, sources_.resources);
    }
    if (next >= state.NodeSlots()) return answer(Json(body + "]}\n"));
    PostToDecision([this, body = std::move(body), next, answer = std::move(answer)]() mutable {
      ListNodes(std::move(body), next, std::move(answer));
    });
  }

  // Runs `question` on the decision thread; `status` is that of the answer when it does not come to it in time.
  void Ask(net::Respond respond, int status, std::function<void(Answer)> question) {
    std::string late = Concat("decision thread did not answer within ", Seconds(options_.patience), "\n");
    uint64_t number = Await(std::move(respond), [status, late = std::move(late)] { return Text(status, late); });
    PostToDecision([this, number, question = std::move(question)] {
      question([this, number](net::Response response) {
        loop_.Post([this, number, response = std::move(response)]() mutable { Finish(number, std::move(response)); });
      });
    });
  }

  // Answers with what `late` makes unless Finish(the returned number) comes first.
  uint64_t Await(net::Respond respond, std::function<net::Response()> late) {
    uint64_t number = ++asked_;
    auto patience = loop_.After(options_.patience, [this, number, late = std::move(late)] { Finish(number, late()); });
    waiting_.emplace(number, Waiting{std::move(respond), std::move(patience)});
    return number;
  }

  void Finish(uint64_t number, net::Response response) {
    auto entry = waiting_.extract(number);
    if (!entry.empty()) entry.mapped().respond(std::move(response));
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

}  // namespace huygens::extender
