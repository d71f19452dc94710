// The four verbs over HTTP: picks the verb by path, hands it the body, measures, and logs what went wrong at a limited
// rate. Decision thread only.
// 4xx is for what is not an extender call (path, method, not JSON); everything understood is answered with 200 and, if
// need be, its Error.
#pragma once

#include <string>
#include <string_view>

#include "extender/bind.h"
#include "extender/context.h"
#include "extender/verb.h"
#include "net/server.h"
#include "observe/log_limit.h"

namespace huygens::extender {

class Service {
 public:
  // `path_prefix` as configured: "/" or "/scheduler".
  Service(Context& context, BindFlow& bind, std::string_view path_prefix);

  void Handle(const net::Request& request, const net::Respond& respond);
  // A request that the server refused before it came here.
  void Refused(const net::RefusedRequest& request);

 private:
  void HandleBind(const net::Request& request, const net::Respond& respond);
  // What follows the prefix: a verb, or else no call of ours.
  std::string_view VerbAt(std::string_view path) const;
  void Record(std::string_view verb, const VerbAnswer& answer, size_t bytes_in, Duration duration);

  Context& context_;
  BindFlow& bind_;
  std::string prefix_;  // ends in '/'
  observe::RateLimit refusals_{std::chrono::seconds(10)};
  observe::RateLimit errors_{std::chrono::seconds(10)};
};

}  // namespace huygens::extender
