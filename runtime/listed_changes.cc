#include "runtime/listed_changes.h"

#include <utility>

namespace huygens::runtime {

void ListedChanges::Begin(const std::vector<Container>& containers) {
  before_.clear();
  for (const Container& container : containers) before_.emplace(container.id, container);
}

void ListedChanges::Next(const std::vector<Container>& containers, EventSink& sink) {
  std::map<std::string, Container> gone = std::exchange(before_, {});
  for (const Container& container : containers) {
    const auto known = gone.extract(container.id);
    const bool unchanged = !known.empty() && known.mapped().state == container.state;
    if (!unchanged && container.state == ContainerState::kCreated) sink.OnCreated(container);
    if (!unchanged && container.state == ContainerState::kRunning) sink.OnStarted(container);
    if (!unchanged && container.state == ContainerState::kExited && !known.empty()) sink.OnStopped(container);
    before_.emplace(container.id, container);
  }
  for (auto& [id, container] : gone) {
    if (container.state != ContainerState::kExited) sink.OnStopped(container);
  }
}

}  // namespace huygens::runtime
