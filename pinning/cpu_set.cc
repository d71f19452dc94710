#include "pinning/cpu_set.h"

namespace huygens::pinning {

CpuSet SetOf(const machine::Ids& ids) {
  CpuSet cpus;
  for (const int id : ids) cpus.Add(static_cast<size_t>(id));
  return cpus;
}

machine::Ids IdsOf(const CpuSet& cpus) {
  machine::Ids ids;
  cpus.ForEach([&](size_t cpu) { ids.push_back(static_cast<int>(cpu)); });
  return ids;
}

std::string ListOf(const CpuSet& cpus) { return machine::FormatIdList(IdsOf(cpus)); }

StatusOr<CpuSet> ParseSet(std::string_view text) {
  HUYGENS_ASSIGN_OR_RETURN(const machine::Ids ids, machine::ParseIdList(text));
  return SetOf(ids);
}

}  // namespace huygens::pinning
