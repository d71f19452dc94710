// The four verbs over HTTP: picks the verb by path, hands it the body, and measures. Decision thread only.
// 4xx is for what is not an extender call (path, method, not JSON); everything understood is answered with 200 and, if
// need be, its Error.
#pragma once

#include <string>
#include <string_view>

#include "extender/bind.h"
#include "extender/context.h"
#include "net/server.h"

namespace huygens::extender {

class Service {
 public:
  // `path_prefix` as configured: "/" or "/scheduler".
  Service(Context& context, BindFlow& bind, std::string_view path_prefix);

  void Handle(const net::Request& request, const net::Respond& respond);

 private:
  void HandleBind(const net::Request& request, const net::Respond& respond);

  Context& context_;
  BindFlow& bind_;
  std::string prefix_;  // ends in '/'
};

}  // namespace huygens::extender
