// How the reports ask an API server. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::rule_reports {

// One request, one reply of whatever code. An error: there was no reply.
using ApiCall = std::function<StatusOr<net::HttpReply>(std::string_view method, const std::string& path,
                                                       std::string_view body, std::string_view content_type)>;

inline constexpr std::string_view kJsonType = "application/json";

// The object of a GET. NotFound where there is none; any other reply is an error with what the API server said.
StatusOr<std::string> GetObject(const ApiCall& call, const std::string& path);

}  // namespace huygens::rule_reports
