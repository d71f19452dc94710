#include "agent/node_facts.h"

#include <utility>

namespace huygens::agent {
namespace {

template <typename Fact>
bool Replace(std::shared_ptr<const Fact>& known, std::shared_ptr<const Fact> now) {
  if (now == nullptr || (known != nullptr && *known == *now)) return false;
  known = std::move(now);
  return true;
}

}  // namespace

void NodeFacts::Set(std::shared_ptr<const machine::Machine> machine,
                    std::shared_ptr<const kubelet_api::KubeletMachine> kubelet_machine) {
  const bool changed = Replace(machine_, std::move(machine));
  if (Replace(kubelet_machine_, std::move(kubelet_machine)) || changed) Tell();
}

void NodeFacts::Set(std::shared_ptr<const KubeletLook> look) {
  if (Replace(look_, std::move(look))) Tell();
}

void NodeFacts::Tell() const {
  for (const auto& call : calls_) call();
}

}  // namespace huygens::agent
