// CPU sets by the kernel's ids: a topology::CpuSet in which the position of a CPU is its id. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "machine/id_list.h"
#include "topology/cpus.h"

namespace huygens::pinning {

using topology::CpuSet;

CpuSet SetOf(const machine::Ids& ids);
machine::Ids IdsOf(const CpuSet& cpus);
// As the kernel writes lists: "0-3,8"; "" for none.
std::string ListOf(const CpuSet& cpus);
// The kernel's list as a set; an error says what a list is.
StatusOr<CpuSet> ParseSet(std::string_view text);

inline bool Meet(const CpuSet& a, const CpuSet& b) { return a.CountIn(b) > 0; }
inline bool Within(const CpuSet& part, const CpuSet& whole) { return part.CountIn(whole) == part.Count(); }

}  // namespace huygens::pinning
