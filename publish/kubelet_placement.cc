#include "publish/kubelet_placement.h"

#include <string_view>
#include <utility>

#include "base/resource.h"
#include "base/text.h"
#include "json/document.h"
#include "kubelet_api/held.h"
#include "publish/kubelet_cpus.h"
#include "publish/objects.h"

namespace huygens::publish {
namespace {

struct PlacedAmounts {
  Texts capacity;
  static void Describe(auto& self, auto& fields) { fields.Always("capacity", self.capacity); }
};

struct PlacedZone {
  std::string name, type = "Node";
  Texts attributes;
  PlacedAmounts resources;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("type", self.type);
    fields.IfSet("attributes", self.attributes);
    fields.Always("resources", self.resources);
  }
};

struct Placement {
  std::string uid, node;
  std::vector<PlacedZone> zones;
  static void Describe(auto& self, auto& fields) {
    fields.Always("uid", self.uid);
    fields.Always("node", self.node);
    fields.Always("zones", self.zones);
  }
};

struct Held {
  machine::Ids cpus;
  std::map<std::string, int64_t> bytes;  // by resource
};

using HeldByZone = std::map<int, Held>;

std::string TextOf(const std::string& uid, std::string_view node, const HeldByZone& zones) {
  Placement placement{uid, std::string(node), {}};
  for (const auto& [id, held] : zones) {
    PlacedZone& zone = placement.zones.emplace_back();
    zone.name = Concat("node", std::to_string(id));
    if (!held.cpus.empty()) {
      zone.attributes.emplace_back("cpus", machine::FormatIdList(held.cpus));
      zone.resources.capacity.emplace_back("cpu", std::to_string(held.cpus.size()));
    }
    for (const auto& [resource, bytes] : held.bytes)
      zone.resources.capacity.emplace_back(resource, std::to_string(bytes));
  }
  return EncodeJson(placement);
}

}  // namespace

std::map<std::string, std::string> KubeletPlacements(std::string_view node, const kubelet_api::KubeletMachine& machine,
                                                     const std::vector<kubelet_api::Pod>& pods,
                                                     const kubelet_api::CpuManagerState& cpus,
                                                     const kubelet_api::MemoryManagerState* memory) {
  const std::map<int, KubeletCpu> known = KubeletCpus(machine);
  std::map<std::string, HeldByZone> held;
  for (const auto& [uid, owned] : kubelet_api::OwnedCpus(cpus, pods)) {
    for (const int cpu : owned) {
      if (const auto found = known.find(cpu); found != known.end()) held[uid][found->second.zone].cpus.push_back(cpu);
    }
  }
  if (memory != nullptr) {
    const kubelet_api::MemoryManagerState live = kubelet_api::WithoutEnded(*memory, pods);
    for (const auto& [uid, containers] : live.owned) {
      for (const auto& [name, blocks] : containers) {
        for (const kubelet_api::MemoryBlock& block : blocks) {
          if (block.zones.size() != 1) continue;
          int64_t& bytes = held[uid][block.zones.front()].bytes[block.resource];
          bytes = SaturatingAdd(bytes, block.bytes);
        }
      }
    }
  }
  std::map<std::string, std::string> texts;
  for (const auto& [uid, zones] : held) texts.emplace(uid, TextOf(uid, node, zones));
  return texts;
}

}  // namespace huygens::publish
