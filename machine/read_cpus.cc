// Which CPUs there are, and which of them share a core, a package or a cache.
#include <algorithm>
#include <tuple>

#include "machine/read_parts.h"

namespace huygens::machine {

namespace {

constexpr std::string_view kCpus = "sys/devices/system/cpu";

std::string OfCpu(int cpu, std::string_view file) { return Concat(kCpus, "/cpu", std::to_string(cpu), "/", file); }

// The CPUs that share a core with `cpu`, itself included, also those offline. Old kernels have masks only; the names
// "core_cpus" are those of kernels from 5.3 on.
StatusOr<Ids> Siblings(const SystemFiles& files, int cpu) {
  for (const std::string_view name : {"core_cpus_list", "thread_siblings_list"}) {
    HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> ids, files.List(OfCpu(cpu, Concat("topology/", name))));
    if (ids && !ids->empty()) return *std::move(ids);
  }
  for (const std::string_view name : {"core_cpus", "thread_siblings"}) {
    HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> ids, files.Mask(OfCpu(cpu, Concat("topology/", name))));
    if (ids && !ids->empty()) return *std::move(ids);
  }
  return Ids{cpu};
}

// "32768K".
StatusOr<std::optional<int64_t>> CacheSize(const SystemFiles& files, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> text, files.Text(path));
  if (!text || text->empty()) return std::optional<int64_t>();
  constexpr size_t kMostDigits = 12;
  const std::string_view digits = std::string_view(*text).substr(0, text->find('K'));
  const bool good = text->size() == digits.size() + 1 && !digits.empty() && digits.size() <= kMostDigits &&
                    std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!good) return files.Unusable(path, *text, "not a size such as 32768K");
  return std::optional<int64_t>(std::stoll(std::string(digits)));
}

// The cache of one folder index*, without its size; no CPUs if the folder does not say what it is.
StatusOr<Cache> ReadCache(const SystemFiles& files, const std::string& folder, const Ids& online) {
  Cache cache;
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> level, files.Number(Concat(folder, "/level")));
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> type, files.Text(Concat(folder, "/type")));
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> cpus, files.List(Concat(folder, "/shared_cpu_list")));
  if (!cpus) {
    HUYGENS_ASSIGN_OR_RETURN(cpus, files.Mask(Concat(folder, "/shared_cpu_map")));
  }
  if (!level || !cpus) return cache;
  cache.level = *level;
  cache.type = type.value_or("");
  cache.cpus = Both(*cpus, online);
  return cache;
}

}  // namespace

Status ReadCpus(const SystemFiles& files, Machine& machine) {
  HUYGENS_ASSIGN_OR_RETURN(Ids folders, files.Numbered(kCpus, "cpu"));
  std::erase_if(folders, [&](int cpu) { return !files.IsFolder(OfCpu(cpu, "")); });
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> present, files.List(Concat(kCpus, "/present")));
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> online, files.List(Concat(kCpus, "/online")));
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> isolated, files.List(Concat(kCpus, "/isolated")));
  if (!online || online->empty()) {
    // Kernels before 2.6.26. A CPU that cannot be taken offline has no file to say so.
    online.emplace();
    for (const int cpu : folders) {
      HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> on, files.Number(OfCpu(cpu, "online")));
      if (on.value_or(1) != 0) online->push_back(cpu);
    }
  }
  if (online->empty()) {
    return NotFound(Concat("no CPU is online in ", files.Path(kCpus), "; is it the folder of a machine?"));
  }
  machine.present = present ? *std::move(present) : std::move(folders);
  machine.online = *std::move(online);
  machine.isolated = isolated ? *std::move(isolated) : Ids();
  return absl::OkStatus();
}

Status ReadCores(const SystemFiles& files, Machine& machine) {
  std::vector<bool> taken(static_cast<size_t>(kMostId) + 1);
  Ids contradicting;
  for (const int cpu : machine.online) {
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> package,
                             files.Number(OfCpu(cpu, "topology/physical_package_id")));
    if (package) machine.packages[*package].push_back(cpu);
    HUYGENS_ASSIGN_OR_RETURN(Ids siblings, Siblings(files, cpu));
    siblings = Both(siblings, machine.online);
    if (taken[static_cast<size_t>(cpu)]) {
      const bool agrees = std::ranges::any_of(machine.cores, [&](const Core& core) { return core.cpus == siblings; });
      if (!agrees) contradicting.push_back(cpu);
      continue;
    }
    if (!Has(siblings, cpu)) siblings.insert(std::ranges::lower_bound(siblings, cpu), cpu);
    const size_t listed = siblings.size();
    std::erase_if(siblings, [&](int each) { return taken[static_cast<size_t>(each)]; });
    if (siblings.size() < listed) contradicting.push_back(cpu);
    for (const int each : siblings) taken[static_cast<size_t>(each)] = true;
    machine.cores.push_back({std::move(siblings), package});
  }
  std::ranges::sort(machine.cores, {}, [](const Core& core) { return core.cpus.front(); });
  if (!contradicting.empty()) {
    machine.notices.push_back(
        Concat("CPUs ", FormatIdList(contradicting),
               " name other siblings than the CPUs that name them; a core is what its lowest CPU says"));
  }
  return absl::OkStatus();
}

Status ReadCaches(const SystemFiles& files, Machine& machine) {
  for (const int cpu : machine.online) {
    HUYGENS_ASSIGN_OR_RETURN(const Ids indices, files.Numbered(OfCpu(cpu, "cache"), "index"));
    for (const int index : indices) {
      const std::string folder = OfCpu(cpu, Concat("cache/index", std::to_string(index)));
      HUYGENS_ASSIGN_OR_RETURN(Cache cache, ReadCache(files, folder, machine.online));
      // The lowest CPU of a cache tells of it.
      if (cache.cpus.empty() || cache.cpus.front() != cpu) continue;
      HUYGENS_ASSIGN_OR_RETURN(cache.kb, CacheSize(files, Concat(folder, "/size")));
      machine.caches.push_back(std::move(cache));
    }
  }
  std::ranges::stable_sort(machine.caches, {},
                           [](const Cache& cache) { return std::tuple(cache.cpus.front(), cache.level, cache.type); });
  return absl::OkStatus();
}

}  // namespace huygens::machine
