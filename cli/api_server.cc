#include "cli/api_server.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/kubeconfig.h"

namespace huygens::cli {

namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

std::string DefaultKubeconfig() {
  const std::string listed = kube::ProcessEnvironment("KUBECONFIG");
  if (!listed.empty()) return listed.substr(0, listed.find(':'));
  const std::string home = Concat(kube::ProcessEnvironment("HOME"), "/.kube/config");
  std::error_code ignored;
  return std::filesystem::exists(home, ignored) ? home : "";
}

}  // namespace

StatusOr<ApiCall> OpenApiServer(const std::string& kubeconfig) {
  const std::string file = kubeconfig.empty() ? DefaultKubeconfig() : kubeconfig;
  auto options = file.empty() ? kube::InCluster() : kube::LoadKubeconfig(file);
  if (!options.ok()) return options.status();
  HUYGENS_ASSIGN_OR_RETURN(auto made, net::Client::Create(*std::move(options)));
  return ApiCall([client = std::shared_ptr<net::Client>(std::move(made))](
                     std::string_view method, const std::string& path, std::string_view body,
                     std::string_view content_type) {
    return client->Call(method, path, body,
                        {{"Accept", std::string(kJsonType)}, {"Content-Type", std::string(content_type)}}, kPatience);
  });
}

StatusOr<std::string> GetObject(const ApiCall& call, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, call("GET", path, "", kJsonType));
  if (kube::Succeeded(reply)) return std::move(reply.body);
  const std::string why = kube::ExplainReply(reply);
  return reply.code == 404 ? NotFound(why) : Unavailable(Concat("GET ", path, ": ", why));
}

}  // namespace huygens::cli
