// Any bytes as the state file of the agent, and as the annotations by which it pins. The first byte says which. What can
// be read of a state file comes back the same; whatever a result promises, nobody gets CPUs that are not there or another
// pod's, and the shared pool keeps one.
#include "pinning/assignment.h"
#include "pinning/state_text.h"
#include "tests/fuzz/require.h"
#include "tests/pinning/made_node.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckState(std::string_view text) {
  const auto state = pinning::DecodeState(text);
  if (!state.ok()) {
    Require(!Message(state.status()).empty(), "an error has a message");
    return;
  }
  const auto again = pinning::DecodeState(pinning::EncodeState(*state));
  Require(again.ok() && *again == *state, "what was read is written and read back");
}

void CheckResult(unsigned which, std::string_view text) {
  static constexpr std::string_view kPolicies[] = {"", "exclusive", "numa", "immovable"};
  static constexpr std::string_view kSmt[] = {"", "spread", "pack", "isolate"};
  const pinning::NodeCpus node = pinning::MakeNodeCpus(pinning::testing::MadeMachine(2, 2, 2), {0});
  std::vector<pinning::LivePod> pods;
  for (const char* uid : {"a", "b"}) {
    pinning::LivePod pod = pinning::testing::MadePod(uid, pinning::Pool::kShared, {}, {1, 2});
    pod.ask =
        pinning::AskOf({.uid = uid, .result = text, .cpu_policy = kPolicies[which / 4 % 4], .smt = kSmt[which % 4]});
    pods.push_back(std::move(pod));
  }
  const pinning::Assignment assignment = pinning::Assign(node, pods, {});
  Require(!assignment.shared.empty(), "somebody has to share something");
  pinning::CpuSet taken;
  for (const auto& [uid, cpus] : assignment.pods) {
    Require(pinning::Within(cpus.own, node.assignable), "only CPUs that are there");
    Require(!pinning::Meet(cpus.own | cpus.idle, taken), "each CPU has one owner");
    taken |= cpus.own | cpus.idle;
  }
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  data[0] < 128 ? huygens::CheckState(text) : huygens::CheckResult(data[0], text);
  return 0;
}
