#include "extender/service.h"

#include <chrono>

#include "extender/filter.h"
#include "extender/preempt.h"
#include "extender/prioritize.h"
#include "wire/extender_answer.h"

namespace huygens::extender {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

void Answer(Context& context, std::string_view verb, size_t bytes_in, SteadyTime start, VerbAnswer answer,
            const net::Respond& respond) {
  context.metrics.Request(verb, answer.outcome, bytes_in, answer.body.size(), std::chrono::steady_clock::now() - start);
  if (answer.outcome == "malformed") {
    context.log.Warn("refused a request",
                     {{"verb", verb}, {"bytes", std::to_string(bytes_in)}, {"answer", answer.body}});
  }
  respond({.status = answer.status, .content_type = std::string(answer.content_type), .body = std::move(answer.body)});
}

net::Response Plain(int status, std::string body) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(body)};
}

}  // namespace

Service::Service(Context& context, BindFlow& bind, std::string_view path_prefix)
    : context_(context), bind_(bind), prefix_(path_prefix) {
  if (prefix_.empty() || prefix_.back() != '/') prefix_ += '/';
}

void Service::Handle(const net::Request& request, const net::Respond& respond) {
  std::string_view verb = request.path;
  if (verb.starts_with(prefix_)) verb.remove_prefix(prefix_.size());
  using Pure = VerbAnswer (*)(Context&, std::string_view);
  Pure pure = nullptr;  // verbs that answer at once and change nothing
  if (verb == "filter") pure = Filter;
  if (verb == "prioritize") pure = Prioritize;
  if (verb == "preempt") pure = [](Context&, std::string_view body) { return Preempt(body); };
  if (pure == nullptr && verb != "bind") {
    return respond(Plain(404, Concat("no verb at ", request.path, "; huygens serves POST ", prefix_,
                                     "{filter,prioritize,preempt,bind}\n")));
  }
  if (request.method != "POST") return respond(Plain(405, Concat(verb, " takes POST, not ", request.method, "\n")));
  if (verb == "bind") return HandleBind(request, respond);
  auto start = std::chrono::steady_clock::now();
  Answer(context_, verb, request.body.size(), start, pure(context_, request.body), respond);
}

void Service::HandleBind(const net::Request& request, const net::Respond& respond) {
  auto start = std::chrono::steady_clock::now();
  auto answer = [this, start, bytes = request.body.size(), respond](std::string_view error) {
    VerbAnswer bound{.outcome = error.empty() ? "ok" : "error"};
    wire::AppendBindResult(bound.body, error);
    Answer(context_, "bind", bytes, start, std::move(bound), respond);
  };
  StatusOr<wire::BindArgs> args = wire::DecodeBindArgs(request.body);
  if (args.ok()) return bind_.Bind(*std::move(args), std::move(answer));
  if (IsJson(request.body)) return answer(Message(args.status()));
  Answer(context_, "bind", request.body.size(), start, Malformed(args.status()), respond);
}

}  // namespace huygens::extender
