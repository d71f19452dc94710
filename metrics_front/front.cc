#include "metrics_front/front.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/backoff.h"
#include "base/percent_encoding.h"
#include "base/text.h"
#include "json/append.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "observe/overcommit_metrics.h"
#include "wire/event_object.h"

namespace huygens::metrics_front {
namespace {

constexpr std::string_view kApi = "/apis/metrics.k8s.io";
constexpr std::string_view kPods = "/apis/metrics.k8s.io/v1beta1/namespaces/";
constexpr size_t kCalls = 4;
constexpr Duration kProbePause = std::chrono::seconds(5);

// What API servers ask of an API: its objects, what it has, and how they look.
bool IsOfTheApi(std::string_view path) {
  return path == kApi || path.starts_with(Concat(kApi, "/")) || path == "/apis" || path.starts_with("/openapi/");
}

std::string PathAndQuery(const net::Request& request) {
  return request.query.empty() ? std::string(request.path) : Concat(request.path, "?", request.query);
}

std::string QueryValueOf(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.substr(0, pair.find('=')) != key || pair.size() <= key.size()) continue;
    std::string value(pair.substr(key.size() + 1));
    std::ranges::replace(value, '+', ' ');
    return PercentDecoded(value);
  }
  return "";
}

// "shop" of ".../namespaces/shop/pods"; empty for another path.
std::string_view NamespaceOf(std::string_view path) {
  if (!path.starts_with(kPods)) return {};
  path.remove_prefix(kPods.size());
  const size_t slash = path.find('/');
  return slash != std::string_view::npos && path.substr(slash) == "/pods" ? path.substr(0, slash) : std::string_view();
}

// A Status as API servers answer it, by which clients say what is wrong.
net::Response StatusAnswer(int code, std::string_view reason, std::string_view message) {
  std::string body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)";
  AppendJsonString(body, message);
  body += Concat(R"(,"reason":")", reason, R"(","code":)", std::to_string(code), "}");
  return {.status = code, .body = std::move(body)};
}

net::Response AsItCame(net::HttpReply reply) {
  return {.status = reply.code, .content_type = std::move(reply.content_type), .body = std::move(reply.body)};
}

bool IsOf(const Autoscaler& autoscaler, const std::optional<overcommit::PodOwner>& workload) {
  return workload && workload->kind == autoscaler.target_kind && workload->name == autoscaler.target_name;
}

bool AsksForUtilization(const Autoscaler& autoscaler) {
  return std::ranges::any_of(autoscaler.metrics,
                             [](const ResourceMetric& each) { return each.utilization.has_value(); });
}

}  // namespace

struct Front::Question {
  net::Respond respond;
  std::string path_and_query, accept, namespace_name, selector;
  std::vector<Autoscaler> candidates;  // who may be asking, the likeliest first
  std::optional<Autoscaler> autoscaler;
  Scale scale;
};

Front::Front(FrontOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(environment),
      known_(names_, environment.loop, environment.log, environment.metrics),
      events_(environment.clock, SystemRandom(), {.reporter = "huygens-metrics-front", .instance = options_.instance}),
      api_server_(environment.loop),
      upstream_(environment.loop) {}

Front::~Front() { Stop(); }

Status Front::Start() {
  HUYGENS_RETURN_IF_ERROR(api_server_.Start(options_.api_server, kCalls));
  HUYGENS_RETURN_IF_ERROR(upstream_.Start(options_.upstream, kCalls));
  HUYGENS_RETURN_IF_ERROR(known_.Start(options_.api_server));
  Probe();
  return absl::OkStatus();
}

void Front::Stop() {
  probe_.Cancel();
  known_.Stop();
  api_server_.Stop();
  upstream_.Stop();
}

// So that whoever is not able to answer is not asked: another instance may reach upstream.
void Front::Probe() {
  upstream_.Post([this](net::Client& client) -> kube::CallPool::Then {
    auto reply = client.Call("GET", Concat(kApi, "/v1beta1"), "", {{"Accept", "application/json"}}, options_.timeout);
    Status reached = reply.status();
    if (reply.ok() && reply->code != 200) reached = Unavailable(kube::ReplyText(*reply));
    return [this, reached = std::move(reached)] {
      if (reached.ok() != reached_.ok()) {
        environment_.log.Write(reached.ok() ? observe::LogLevel::kInfo : observe::LogLevel::kWarn, "metrics upstream",
                               {{"is", reached.ok() ? "reached" : Message(reached)}});
      }
      reached_ = reached;
      probe_ = environment_.loop.After(kProbePause, [this] { Probe(); });
    };
  });
}

std::vector<observe::Readiness::Item> Front::Describe() const {
  std::vector<observe::Readiness::Item> items = known_.Describe();
  items.push_back({.ok = reached_.ok(),
                   .warning = false,
                   .name = "metrics upstream",
                   .detail = reached_.ok() ? "answers" : std::string(Message(reached_))});
  return items;
}

bool Front::IsAutoscaler(std::string_view user) const {
  return std::ranges::find(options_.autoscalers, user) != options_.autoscalers.end();
}

void Front::Handle(const net::Request& request, const net::Respond& respond) {
  if (request.method != "GET") return respond(StatusAnswer(405, "MethodNotAllowed", "metrics are read only"));
  if (!IsOfTheApi(request.path)) {
    return respond(StatusAnswer(404, "NotFound", Concat("nothing at ", request.path, "; this is ", kApi)));
  }
  auto question = std::make_shared<Question>(Question{.respond = respond,
                                                      .path_and_query = PathAndQuery(request),
                                                      .accept = std::string(request.accept),
                                                      .namespace_name = std::string(NamespaceOf(request.path)),
                                                      .selector = QueryValueOf(request.query, "labelSelector")});
  const bool may_be_told_otherwise =
      !question->namespace_name.empty() && !question->selector.empty() && IsAutoscaler(request.remote_user);
  if (!may_be_told_otherwise) return Pass(question);
  if (const std::string missing = known_.NotReady(); !missing.empty()) return Hold(*question, missing);
  const StatusOr<LabelSelector> selector = LabelSelector::Parse(question->selector);
  if (!selector.ok()) return Pass(question);
  const std::vector<const AskedPod*> pods = known_.Pods(question->namespace_name, *selector);
  for (const Autoscaler* each : known_.Autoscalers(question->namespace_name)) {
    if (AsksForUtilization(*each) && BasisOf(*each, pods) != recommend::Basis::kRequest) {
      question->candidates.push_back(*each);
    }
  }
  const std::optional<overcommit::PodOwner> workload = pods.empty() ? std::nullopt : pods.front()->workload;
  std::ranges::partition(question->candidates, [&](const Autoscaler& each) { return IsOf(each, workload); });
  Find(question);
}

void Front::Pass(const std::shared_ptr<Question>& question) {
  upstream_.Post([this, question](net::Client& client) -> kube::CallPool::Then {
    net::Headers headers;
    if (!question->accept.empty()) headers.emplace_back("Accept", question->accept);
    auto reply = client.Call("GET", question->path_and_query, "", headers, options_.timeout);
    return [this, question, reply = std::move(reply)]() mutable {
      if (!reply.ok()) return Hold(*question, Message(reply.status()));
      environment_.metrics.overcommit().FrontAnswered("passed");
      question->respond(AsItCame(*std::move(reply)));
    };
  });
}

// An error, by which autoscalers hold what they have.
void Front::Hold(const Question& question, std::string_view why) {
  environment_.metrics.overcommit().FrontAnswered("failed");
  if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
    environment_.log.Warn("metrics cannot be told",
                          {{"asked", question.path_and_query}, {"why", why}, {"leftOut", *left_out}});
  }
  question.respond(StatusAnswer(503, "ServiceUnavailable", Concat("huygens: ", why)));
}

void Front::TellOwner(const Autoscaler& autoscaler, const std::string& why) {
  if (!events_.Allow(autoscaler.uid, {.reason = "MeasuredUseTold", .message = why, .repeat_key = why})) return;
  environment_.log.Warn("an autoscaler is told what was measured",
                        {{"namespace", autoscaler.namespace_name}, {"name", autoscaler.name}, {"why", why}});
  api_server_.Post([this, autoscaler, why](net::Client& client) -> kube::CallPool::Then {
    const wire::EventSubject subject{.api_version = "autoscaling/v2",
                                     .kind = "HorizontalPodAutoscaler",
                                     .namespace_name = autoscaler.namespace_name,
                                     .name = autoscaler.name,
                                     .uid = autoscaler.uid};
    // Best effort: the log has it, too.
    (void)events_.Send(client, subject, "MeasuredUseTold", Concat("goes by lowered requests: ", why));
    return [] {};
  });
}

void Front::Find(const std::shared_ptr<Question>& question) {
  if (question->candidates.empty()) return Pass(question);
  api_server_.Post([this, question](net::Client& client) -> kube::CallPool::Then {
    const Autoscaler& candidate = question->candidates.front();
    auto scale = kube::CallForObject(DecodeScale, client, "GET", ScalePath(candidate), "", options_.timeout);
    return [this, question, scale = std::move(scale)]() mutable {
      Autoscaler asked = std::move(question->candidates.front());
      question->candidates.erase(question->candidates.begin());
      // Its target may be gone; an error of another kind could hide that it is the one.
      if (!scale.ok() && !absl::IsNotFound(scale.status())) {
        return Hold(*question,
                    Concat("the scale of ", asked.target_kind, " ", asked.target_name, ": ", Message(scale.status())));
      }
      if (!scale.ok() || scale->selector != question->selector) return Find(question);
      question->autoscaler = std::move(asked);
      question->scale = *std::move(scale);
      Ask(question);
    };
  });
}

void Front::Ask(const std::shared_ptr<Question>& question) {
  upstream_.Post([this, question](net::Client& client) -> kube::CallPool::Then {
    auto reply = client.Call("GET", question->path_and_query, "", {{"Accept", "application/json"}}, options_.timeout);
    return [this, question, reply = std::move(reply)] { Answer(question, reply); };
  });
}

void Front::Answer(const std::shared_ptr<Question>& question, const StatusOr<net::HttpReply>& reply) {
  if (!reply.ok()) return Hold(*question, Message(reply.status()));
  if (reply->code != 200) {
    environment_.metrics.overcommit().FrontAnswered("passed");
    return question->respond(AsItCame(*reply));
  }
  // The same pods that the controller sees now.
  const StatusOr<LabelSelector> selector = LabelSelector::Parse(question->selector);
  const std::vector<const AskedPod*> pods = known_.Pods(question->namespace_name, *selector);
  const Autoscaler& autoscaler = *question->autoscaler;
  const StatusOr<ScaledAnswer> answer = ScaleAnswerFor(autoscaler, question->scale, BasisOf(autoscaler, pods), pods,
                                                       reply->body, environment_.clock.Now(), options_.controller);
  if (!answer.ok()) return Hold(*question, Concat("upstream's answer: ", Message(answer.status())));
  if (!answer->conflict.empty()) TellOwner(autoscaler, answer->conflict);
  environment_.metrics.overcommit().FrontAnswered(!answer->conflict.empty() ? "conflict"
                                                  : answer->changed         ? "scaled"
                                                                            : "passed");
  net::Response response{.body = answer->body};
  question->respond(std::move(response));
}

}  // namespace huygens::metrics_front
