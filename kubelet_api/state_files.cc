#include "kubelet_api/state_files.h"

#include <charconv>

#include "base/text.h"
#include "json/reader.h"

namespace huygens::kubelet_api {
namespace {

// FNV-1a of 32 bits.
uint32_t HashOf(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  return hash;
}

// Go's structs as kubelet prints them for its checksum: maps by key, a type before each field of a struct.
class GoText {
 public:
  GoText& Add(std::string_view piece) {
    text_ += piece;
    return *this;
  }
  GoText& Add(int64_t number) { return Add(std::to_string(number)); }
  template <typename Map, typename AddValue>
  GoText& AddMap(const Map& map, AddValue add) {
    Add("map[");
    for (const auto& [key, value] : map) {
      if (text_.back() != '[') Add(" ");
      Add(key).Add(":");
      add(value);
    }
    return Add("]");
  }
  template <typename List, typename AddValue>
  GoText& AddList(const List& list, AddValue add) {
    Add("[");
    for (const auto& each : list) {
      if (text_.back() != '[') Add(" ");
      add(each);
    }
    return Add("]");
  }
  uint32_t Checksum() { return HashOf(Add(" Checksum:(checksum.Checksum)0}").text_); }

 private:
  std::string text_;
};

using CpuTexts = std::map<std::string, std::map<std::string, std::string>>;

uint32_t ChecksumOf(std::string_view policy, std::string_view shared, const CpuTexts& owned) {
  GoText text;
  text.Add("(*state.CPUManagerCheckpoint){PolicyName:(string)").Add(policy).Add(" DefaultCPUSet:(string)").Add(shared);
  text.Add(" Entries:(map[string]map[string]string)").AddMap(owned, [&](const auto& containers) {
    text.AddMap(containers, [&](const std::string& cpus) { text.Add(cpus); });
  });
  return text.Checksum();
}

void AddBlock(GoText& text, const MemoryBlock& block) {
  text.Add("{NUMAAffinity:([]int)").AddList(block.zones, [&](int zone) { text.Add(zone); });
  text.Add(" Type:(v1.ResourceName)").Add(block.resource).Add(" Size:(uint64)").Add(block.bytes).Add("}");
}

void AddZone(GoText& text, const MemoryManagerState::Zone& zone) {
  text.Add("<*>{NumberOfAssignments:(int)").Add(zone.assignments);
  text.Add(" MemoryMap:(map[v1.ResourceName]*state.MemoryTable)").AddMap(zone.amounts, [&](const auto& amounts) {
    text.Add("<*>{TotalMemSize:(uint64)").Add(amounts.total);
    text.Add(" SystemReserved:(uint64)").Add(amounts.system_reserved);
    text.Add(" Allocatable:(uint64)").Add(amounts.allocatable);
    text.Add(" Reserved:(uint64)").Add(amounts.reserved).Add(" Free:(uint64)").Add(amounts.free).Add("}");
  });
  text.Add(" Cells:([]int)").AddList(zone.group, [&](int each) { text.Add(each); }).Add("}");
}

uint32_t ChecksumOf(const MemoryManagerState& state) {
  GoText text;
  text.Add("(*state.MemoryManagerCheckpoint){PolicyName:(string)").Add(state.policy);
  text.Add(" MachineState:(state.NUMANodeMap)").AddMap(state.zones, [&](const auto& zone) { AddZone(text, zone); });
  text.Add(" Entries:(state.ContainerMemoryAssignments)").AddMap(state.owned, [&](const auto& containers) {
    text.AddMap(containers, [&](const auto& blocks) {
      text.AddList(blocks, [&](const MemoryBlock& block) { AddBlock(text, block); });
    });
  });
  return text.Checksum();
}

// More than any machine has, so that sums do not overflow.
constexpr int64_t kMostAmount = int64_t{1} << 50;

Status ReadAmount(JsonReader& in, int64_t& amount) {
  HUYGENS_RETURN_IF_ERROR(in.Read(amount));
  if (amount >= 0 && amount <= kMostAmount) return absl::OkStatus();
  return Invalid(Concat(std::to_string(amount), " is no amount that a machine has"));
}

Status ReadIds(JsonReader& in, std::vector<int>& out) {
  out.clear();
  return in.Elements([&](size_t) { return in.Read(out.emplace_back()); });
}

Status ReadBlocks(JsonReader& in, std::vector<MemoryBlock>& out) {
  out.clear();
  return in.Elements([&](size_t) {
    MemoryBlock& block = out.emplace_back();
    return in.Fields(
        "numaAffinity", [&] { return ReadIds(in, block.zones); }, "type", block.resource, "size",
        [&] { return ReadAmount(in, block.bytes); });
  });
}

Status ReadZone(JsonReader& in, MemoryManagerState::Zone& zone) {
  const auto read_amounts = [&] {
    return in.Members([&](const JsonKey& key) {
      MemoryManagerState::Amounts& to = zone.amounts[std::string(key.text)];
      const auto amount = [&](int64_t& value) { return [&] { return ReadAmount(in, value); }; };
      const auto total = amount(to.total), kept = amount(to.system_reserved), allocatable = amount(to.allocatable);
      const auto reserved = amount(to.reserved), free = amount(to.free);
      return in.Fields("total", total, "systemReserved", kept, "allocatable", allocatable, "reserved", reserved, "free",
                       free);
    });
  };
  return in.Fields(
      "numberOfAssignments", [&] { return ReadAmount(in, zone.assignments); }, "memoryMap", read_amounts, "cells",
      [&] { return ReadIds(in, zone.group); });
}

// Of the members that both files have; `read(key)` reads the file's own, and says whether it is one.
template <typename ReadOwn>
StatusOr<uint32_t> ReadState(std::string_view json, std::string& policy, bool& all_known, ReadOwn read_own) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  int64_t checksum = 0;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("policyName")) return in.Read(policy);
    if (key.Is("checksum")) return in.Read(checksum);
    bool known = true;
    HUYGENS_RETURN_IF_ERROR(read_own(in, key, known));
    all_known = all_known && known;
    return absl::OkStatus();
  }));
  if (policy.empty()) return Invalid("it names no policy");
  return static_cast<uint32_t>(checksum);
}

Status CheckSum(uint32_t written, uint32_t counted) {
  if (written == 0 || written == counted) return absl::OkStatus();
  return Unavailable(Concat("its checksum is ", std::to_string(written), ", and that of what it holds ",
                            std::to_string(counted), ": it is being written, or was changed by hand"));
}

StatusOr<CpuManagerState> ReadCpuState(std::string_view json) {
  CpuManagerState state;
  std::string shared;
  CpuTexts owned;
  bool all_known = true;
  HUYGENS_ASSIGN_OR_RETURN(
      const uint32_t checksum,
      ReadState(json, state.policy, all_known, [&](JsonReader& in, const JsonKey& key, bool& known) -> Status {
        if (key.Is("defaultCpuSet")) return in.Read(shared);
        known = key.Is("entries");
        if (!known) return absl::OkStatus();
        return in.Members([&](const JsonKey& pod) {
          auto& containers = owned[std::string(pod.text)];
          return in.Members([&](const JsonKey& container) { return in.Read(containers[std::string(container.text)]); });
        });
      }));
  if (all_known) HUYGENS_RETURN_IF_ERROR(CheckSum(checksum, ChecksumOf(state.policy, shared, owned)));
  HUYGENS_ASSIGN_OR_RETURN(state.shared, machine::ParseIdList(shared));
  for (const auto& [uid, containers] : owned) {
    for (const auto& [name, cpus] : containers) {
      HUYGENS_ASSIGN_OR_RETURN(state.owned[uid][name], machine::ParseIdList(cpus));
    }
  }
  return state;
}

StatusOr<MemoryManagerState> ReadMemoryState(std::string_view json) {
  MemoryManagerState state;
  bool all_known = true;
  const auto read_zones = [&](JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      int zone = -1;
      const char* const begin = key.text.data();
      const char* const end = begin + key.text.size();
      const auto [stopped, error] = std::from_chars(begin, end, zone);
      if (error != std::errc() || stopped != end || zone < 0 || zone > machine::kMostId)
        return Invalid(Concat("\"", CutText(key.text, 40), "\" is no number of a zone"));
      return ReadZone(in, state.zones[zone]);
    });
  };
  HUYGENS_ASSIGN_OR_RETURN(
      const uint32_t checksum,
      ReadState(json, state.policy, all_known, [&](JsonReader& in, const JsonKey& key, bool& known) -> Status {
        if (key.Is("machineState")) return read_zones(in);
        known = key.Is("entries");
        if (!known) return absl::OkStatus();
        return in.Members([&](const JsonKey& pod) {
          auto& containers = state.owned[std::string(pod.text)];
          return in.Members(
              [&](const JsonKey& container) { return ReadBlocks(in, containers[std::string(container.text)]); });
        });
      }));
  if (all_known) HUYGENS_RETURN_IF_ERROR(CheckSum(checksum, ChecksumOf(state)));
  return state;
}

}  // namespace

StatusOr<CpuManagerState> DecodeCpuManagerState(std::string_view json) {
  auto state = ReadCpuState(json);
  return state.ok() ? std::move(state) : Annotate(state.status(), kCpuManagerState);
}

StatusOr<MemoryManagerState> DecodeMemoryManagerState(std::string_view json) {
  auto state = ReadMemoryState(json);
  return state.ok() ? std::move(state) : Annotate(state.status(), kMemoryManagerState);
}

}  // namespace huygens::kubelet_api
