#include "pinner/state_store.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "pinning/state_text.h"

namespace huygens::pinner {
namespace {

StatusOr<KeptState> Understand(std::string_view text) {
  HUYGENS_ASSIGN_OR_RETURN(const pinning::StateText state, pinning::DecodeState(text));
  KeptState kept;
  HUYGENS_ASSIGN_OR_RETURN(kept.shared, pinning::ParseSet(state.default_cpus));
  for (const auto& [uid, containers] : state.entries) {
    pinning::ContainerSets sets;
    for (const auto& [name, cpus] : containers) {
      HUYGENS_ASSIGN_OR_RETURN(sets[name], pinning::ParseSet(cpus));
      if (sets[name].empty()) sets.erase(name);
    }
    if (!sets.empty()) kept.pods[uid] = pinning::Had(std::move(sets));
  }
  kept.names = state.names;
  return kept;
}

}  // namespace

StatusOr<KeptState> StateStore::Look() const {
  const StatusOr<std::string> text = ReadFile(path_, "state file", 64);
  if (text.status().code() == absl::StatusCode::kNotFound) return KeptState{};
  HUYGENS_RETURN_IF_ERROR(text.status());
  StatusOr<KeptState> kept = Understand(*text);
  if (!kept.ok()) return Invalid(Concat(path_, ": ", Message(kept.status())));
  return kept;
}

StatusOr<KeptState> StateStore::Load() const {
  StatusOr<KeptState> kept = Look();
  if (kept.ok() || kept.status().code() != absl::StatusCode::kInvalidArgument) return kept;
  const std::string aside = Concat(path_, ".bad");
  if (std::rename(path_.c_str(), aside.c_str()) != 0) {
    return Unavailable(Concat(Message(kept.status()), "; and it cannot be renamed to ", aside, ": ",
                              std::generic_category().message(errno)));
  }
  KeptState anew;
  anew.fault =
      Concat(Message(kept.status()), "; it is kept as ", aside, ", and who has which CPUs is taken from what runs");
  return anew;
}

Status StateStore::Save(const pinning::PodSets& pods, const pinning::CpuSet& shared,
                        const std::map<std::string, std::string, std::less<>>& names) {
  pinning::StateText state;
  state.default_cpus = pinning::ListOf(shared);
  for (const auto& [uid, cpus] : pods) {
    for (const auto& [name, set] : cpus.containers) state.entries[uid][name] = pinning::ListOf(set);
    if (const auto at = names.find(uid); at != names.end() && !cpus.containers.empty()) state.names[uid] = at->second;
  }
  std::string text = pinning::EncodeState(state);
  if (text == written_) return absl::OkStatus();
  HUYGENS_RETURN_IF_ERROR(WriteFileAtomically(path_, text, 0600));
  written_ = std::move(text);
  return absl::OkStatus();
}

}  // namespace huygens::pinner
