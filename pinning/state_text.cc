#include "pinning/state_text.h"

#include <utility>
#include <vector>

#include "json/document.h"

namespace huygens::pinning {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Document {
  std::string policy, default_cpus;
  std::vector<std::pair<std::string, Pairs>> entries;
  int64_t checksum = 0;
  Pairs names;
  static void Describe(auto& self, auto& fields) {
    fields.Always("policyName", self.policy);
    fields.Always("defaultCpuSet", self.default_cpus);
    fields.IfSet("entries", self.entries);
    fields.Always("checksum", self.checksum);
    fields.IfSet("podNames", self.names);
  }
};

// fmt's %#v, as kubelet has it printed: map[key:value ...], keys in order.
template <typename Map, typename AppendValue>
void AppendGoMap(std::string& out, const Map& map, AppendValue append) {
  out += "map[";
  for (const auto& [key, value] : map) {
    if (out.back() != '[') out += ' ';
    out += Concat(key, ":");
    append(value);
  }
  out += ']';
}

}  // namespace

uint32_t Checksum(const StateText& state) {
  std::string text = Concat("(*state.CPUManagerCheckpoint){PolicyName:(string)", state.policy,
                            " DefaultCPUSet:(string)", state.default_cpus, " Entries:(map[string]map[string]string)");
  AppendGoMap(text, state.entries, [&](const auto& containers) {
    AppendGoMap(text, containers, [&](const std::string& cpus) { text += cpus; });
  });
  text += " Checksum:(checksum.Checksum)0}";
  uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  return hash;
}

std::string EncodeState(const StateText& state) {
  Document document{
      state.policy, state.default_cpus, {}, Checksum(state), Pairs(state.names.begin(), state.names.end())};
  for (const auto& [uid, containers] : state.entries) {
    document.entries.emplace_back(uid, Pairs(containers.begin(), containers.end()));
  }
  return EncodeJson(document);
}

StatusOr<StateText> DecodeState(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(Document document, DecodeJson<Document>(json));
  StateText state{std::move(document.policy), std::move(document.default_cpus), {}, {}};
  for (auto& [uid, containers] : document.entries) {
    for (auto& [name, cpus] : containers) state.entries[uid][name] = std::move(cpus);
  }
  for (auto& [uid, name] : document.names) state.names[uid] = std::move(name);
  if (document.checksum != 0 && document.checksum != Checksum(state)) {
    return Invalid(Concat("its checksum is ", std::to_string(document.checksum), ", but its content gives ",
                          std::to_string(Checksum(state)), ": it was cut short or changed by hand"));
  }
  return state;
}

}  // namespace huygens::pinning
