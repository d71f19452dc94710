#include "informer/reflectors.h"

#include <utility>

namespace huygens::informer {

Status Reflectors::Start(const net::ClientOptions& api_server, std::span<const cluster::Kind> kinds) {
  for (cluster::Kind kind : kinds) {
    HUYGENS_RETURN_IF_ERROR(Start(api_server, kube::ResourceOf(kind, names_)));
  }
  return absl::OkStatus();
}

Status Reflectors::Start(const net::ClientOptions& api_server, kube::Resource resource) {
  auto reflector = std::make_unique<kube::Reflector>(std::move(resource), api_server, queue_,
                                                     std::make_unique<SteadyWaiter>(), SystemRandom());
  HUYGENS_RETURN_IF_ERROR(reflector->Start());
  reflectors_.push_back(std::move(reflector));
  return absl::OkStatus();
}

void Reflectors::CatchUp(cluster::Kind kind, uint64_t version) {
  for (const auto& reflector : reflectors_) {
    if (reflector->kind() == kind) return reflector->CatchUp(version);
  }
}

void Reflectors::Stop() {
  queue_.Close();  // a reflector may wait there for this thread
  for (const auto& reflector : reflectors_) reflector->Stop();
}

}  // namespace huygens::informer
