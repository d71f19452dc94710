#include "extender/service.h"

#include <chrono>

#include "extender/extender_answer.h"

namespace huygens::extender {

namespace {

using Steady = std::chrono::steady_clock;

net::Response ToResponse(VerbAnswer answer) {
  return {.status = answer.status, .content_type = std::string(answer.content_type), .body = std::move(answer.body)};
}

}  // namespace

Service::Service(Context& context, BindFlow& bind, std::string_view path_prefix)
    : context_(context), bind_(bind), prefix_(path_prefix) {
  if (prefix_.empty() || prefix_.back() != '/') prefix_ += '/';
}

std::string_view Service::VerbAt(std::string_view path) const {
  if (path.starts_with(prefix_)) path.remove_prefix(prefix_.size());
  return path;
}

void Service::Handle(const net::Request& request, const net::Respond& respond) {
  const std::string_view verb = VerbAt(request.path);
  if (verb == "bind" && request.method == "POST") return HandleBind(request, respond);
  using Immediate = VerbAnswer (*)(Context&, std::string_view);
  Immediate immediate = nullptr;  // verbs that answer at once, since they ask nobody
  if (verb == "filter") immediate = Filter;
  if (verb == "prioritize") immediate = Prioritize;
  if (verb == "preempt") immediate = Preempt;
  const auto start = Steady::now();
  VerbAnswer answer;
  if (immediate == nullptr && verb != "bind") {
    answer = Refusal(404, Concat("no verb at ", request.path, "; huygens serves POST ", prefix_,
                                 "{filter,prioritize,preempt,bind}"));
  } else if (request.method != "POST") {
    answer = Refusal(405, Concat(verb, " takes POST, not ", request.method));
  } else {
    answer = immediate(context_, request.body);
  }
  Record(verb, answer, request.body.size(), Steady::now() - start);
  respond(ToResponse(std::move(answer)));
}

void Service::HandleBind(const net::Request& request, const net::Respond& respond) {
  auto finish = [this, start = Steady::now(), bytes = request.body.size(), respond](VerbAnswer answer) {
    Record("bind", answer, bytes, Steady::now() - start);
    respond(ToResponse(std::move(answer)));
  };
  StatusOr<BindArgs> args = DecodeBindArgs(request.body);
  if (!args.ok() && !IsJson(request.body)) return finish(Malformed(args.status()));
  auto answer = [finish](std::string_view error, std::string why) {
    VerbAnswer bound{.outcome = error.empty() ? "ok" : "error", .why = std::move(why)};
    AppendBindResult(bound.body, error);
    finish(std::move(bound));
  };
  if (!args.ok()) return answer(Message(args.status()), std::string(Message(args.status())));
  bind_.Bind(*std::move(args), [answer](std::string_view error) { answer(error, ""); });  // it logs by itself
}

void Service::Refused(const net::RefusedRequest& request) {
  VerbAnswer refusal = Refusal(request.status, Concat(request.peer, ": ", request.reason));
  Record(VerbAt(request.path), refusal, request.bytes_in, request.duration);
}

void Service::Record(std::string_view verb, const VerbAnswer& answer, size_t bytes_in, Duration duration) {
  context_.metrics.Request(verb, answer.outcome, bytes_in, answer.body.size(), duration);
  if (answer.why.empty()) return;
  const bool refused = answer.status >= 400;
  const auto left_out = (refused ? refusals_ : errors_).Allow(context_.clock.Now());
  if (!left_out) return;
  context_.log.Warn(
      refused ? "refused a request" : "answered with an error",
      {{"verb", verb}, {"status", answer.status}, {"bytes", bytes_in}, {"why", answer.why}, {"leftOut", *left_out}});
}

}  // namespace huygens::extender
