// The API server as `kubectl` would find it, for commands that ask it themselves. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::cli {

// One request, one reply of whatever code. An error: there was no reply.
using ApiCall = std::function<StatusOr<net::HttpReply>(std::string_view method, const std::string& path,
                                                       std::string_view body, std::string_view content_type)>;

// With the credentials of `kubeconfig`; if that is empty of $KUBECONFIG, else ~/.kube/config, else of the pod that it
// runs in. Opens no connection yet.
StatusOr<ApiCall> OpenApiServer(const std::string& kubeconfig);

// The object of a GET. NotFound where there is none; any other reply is an error with what the API server said.
StatusOr<std::string> GetObject(const ApiCall& call, const std::string& path);

inline constexpr std::string_view kJsonType = "application/json";

}  // namespace huygens::cli
