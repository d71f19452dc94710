// Credentials for an API server, from a kubeconfig file or from the service account of the pod that huygens runs in.
// Errors are InvalidArgument or NotFound, name the file and the entry, and never hold a secret. Blocking (reads files);
// any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::kube {

// As clientcmd reads it (k8s.io/client-go/tools/clientcmd): `context` or else current-context; relative paths are
// relative to the file; data wins over files, tokenFile over token. Exec and auth-provider plug-ins and passwords are
// refused with what to use instead.
StatusOr<net::ClientOptions> LoadKubeconfig(const std::string& path, std::string_view context = "");

inline constexpr std::string_view kServiceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
// Reads an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;
std::string ProcessEnvironment(const char* name);

// KUBERNETES_SERVICE_HOST and _PORT, and token and ca.crt of `directory`. The token file is re-read when it rotates.
StatusOr<net::ClientOptions> InCluster(const Environment& environment = ProcessEnvironment,
                                       std::string_view directory = kServiceAccountDirectory);

}  // namespace huygens::kube
