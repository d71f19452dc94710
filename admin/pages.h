// What a service shows below /debug, besides what the admin server itself answers. The admin server asks one page at a
// time, on behalf of people that it has let in.
#pragma once

#include <functional>
#include <string_view>

#include "net/server.h"

namespace huygens::admin {

class Pages {
 public:
  using Answer = std::function<void(net::Response)>;
  // What is to be done for one page; called once, on the decision thread or else on the admin thread.
  struct Question {
    std::function<void(const Answer&)> ask;
    bool on_decision = true;
  };

  virtual ~Pages() = default;
  // `path` without a slash at its end. No `ask`: there is no such page. Called on the admin thread.
  virtual Question Find(std::string_view path, std::string_view query) const = 0;
  // The paths and what each shows, a line each, for people who ask for one that there is not.
  virtual std::string_view Endpoints() const = 0;
};

}  // namespace huygens::admin
