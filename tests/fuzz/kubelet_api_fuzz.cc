// Any bytes as what kubelet answers and as its state files, and as a stored topology object. The first byte says which.
// Whatever can be read makes topology objects that huygens reads.
#include "kubelet_api/configz.h"
#include "kubelet_api/held.h"
#include "kubelet_api/pods.h"
#include "kubelet_api/state_files.h"
#include "publish/kubelet_placement.h"
#include "publish/topology_object.h"
#include "tests/fuzz/require.h"
#include "wire/topology.h"

namespace huygens {
namespace {

using fuzz::Require;

// Two zones of two cores with two threads each.
kubelet_api::KubeletMachine SmallMachine() {
  kubelet_api::KubeletMachine machine{.logical_cpus = 8, .nodes = {}};
  for (int64_t zone = 0; zone < 2; ++zone) {
    kubelet_api::KubeletNode node{.id = zone, .memory_bytes = 1 << 30, .distances = {{10, 21}}};
    node.cores = {{{.id = zone * 2, .package = zone, .cpus = {zone * 2, zone * 2 + 4}},
                   {.id = zone * 2 + 1, .package = zone, .cpus = {zone * 2 + 1, zone * 2 + 5}}}};
    machine.nodes.push_back(std::move(node));
  }
  return machine;
}

struct Facts {
  kubelet_api::RunningConfiguration kubelet;
  std::vector<kubelet_api::Pod> pods;
  kubelet_api::CpuManagerState cpus;
  kubelet_api::MemoryManagerState memory;
};

void CheckFacts(const Facts& facts) {
  const kubelet_api::KubeletMachine machine = SmallMachine();
  ResourceNames names;
  const std::string json =
      publish::PinnedTopology({.name = "n"}, {machine, facts.kubelet, facts.pods, facts.cpus, &facts.memory}).Json();
  Require(wire::DecodeCommunityTopology(json, names).ok(), "what is published can be read");
  for (const auto& [uid, text] : publish::KubeletPlacements("n", machine, facts.pods, facts.cpus, &facts.memory)) {
    Require(publish::JsonHolds(text, text), "a placement is JSON");
  }
}

template <typename Value>
bool Take(StatusOr<Value> decoded, Value& into) {
  if (decoded.ok()) {
    into = *std::move(decoded);
    return true;
  }
  Require(!Message(decoded.status()).empty(), "an error has a message");
  return false;
}

void CheckText(unsigned which, std::string_view text) {
  Facts facts;
  facts.kubelet.cpu_manager_policy = "static";
  facts.pods = {{.uid = "u", .namespace_name = "d", .name = "p", .guaranteed = true}};
  bool read = false;
  switch (which % 5) {
    case 0:
      read = Take(kubelet_api::DecodeConfigz(text), facts.kubelet);
      break;
    case 1:
      read = Take(kubelet_api::DecodePods(text), facts.pods);
      break;
    case 2:
      read = Take(kubelet_api::DecodeCpuManagerState(text), facts.cpus);
      break;
    case 3:
      read = Take(kubelet_api::DecodeMemoryManagerState(text), facts.memory);
      break;
    default:
      const auto stored = publish::DecodeStoredTopology(text);
      if (stored.ok()) Require(publish::JsonHolds(text, "{}"), "an object holds nothing at least");
      (void)publish::JsonHolds(text, text);
  }
  if (read) CheckFacts(facts);
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  huygens::CheckText(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
