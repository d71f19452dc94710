// `huygens-agent show -o json`: the machine, and the same machine as kubelet sees it. The first six fields are the
// machine by the kernel's files alone; `kubelet` has the names that cAdvisor gives its own reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubelet_api/kubelet_machine.h"
#include "machine/machine.h"

namespace huygens::agent {

struct ZoneDocument {
  int64_t id = 0;
  std::string cpus;  // online ones that the kernel lists for it, also where several zones list them
  std::optional<int64_t> memory_kb;
  std::vector<std::pair<std::string, int64_t>> huge_pages;  // size of a page in kB -> how many
  std::vector<int64_t> distances;
  static void Describe(auto& self, auto& fields) {
    fields.Always("id", self.id);
    fields.Always("cpus", self.cpus);
    fields.Always("memory_kB", self.memory_kb);
    fields.Always("hugepages_kB", self.huge_pages);
    fields.Always("distances", self.distances);
  }
};

struct CacheDocument {
  int64_t level = 0;
  std::string type, cpus;
  std::optional<int64_t> kb;
  static void Describe(auto& self, auto& fields) {
    fields.Always("level", self.level);
    fields.Always("type", self.type);
    fields.Always("size_kB", self.kb);
    fields.Always("cpus", self.cpus);
  }
};

struct KubeletHugePagesDocument {
  int64_t page_kb = 0, count = 0;
  static void Describe(auto& self, auto& fields) {
    fields.Always("page_size", self.page_kb);
    fields.Always("num_pages", self.count);
  }
};

struct KubeletCoreDocument {
  int64_t id = 0, socket = 0;
  std::vector<int64_t> cpus;
  std::optional<std::string> not_read;  // never set: null
  std::string book, drawer;
  static void Describe(auto& self, auto& fields) {
    fields.Always("core_id", self.id);
    fields.Always("thread_ids", self.cpus);
    fields.Always("caches", self.not_read);
    fields.Always("uncore_caches", self.not_read);
    fields.Always("socket_id", self.socket);
    fields.IfSet("book_id", self.book);
    fields.IfSet("drawer_id", self.drawer);
  }
};

struct KubeletNodeDocument {
  int64_t id = 0, memory_bytes = 0;
  std::optional<std::vector<KubeletHugePagesDocument>> huge_pages;
  std::optional<std::vector<KubeletCoreDocument>> cores;
  std::optional<std::string> not_read;  // never set: null
  std::optional<std::vector<int64_t>> distances;
  static void Describe(auto& self, auto& fields) {
    fields.Always("node_id", self.id);
    fields.Always("memory", self.memory_bytes);
    fields.Always("hugepages", self.huge_pages);
    fields.Always("cores", self.cores);
    fields.Always("caches", self.not_read);
    fields.Always("distances", self.distances);
  }
};

struct KubeletDocument {
  int64_t logical_cpus = 0;
  std::optional<std::vector<KubeletNodeDocument>> nodes;
  std::string error;  // why kubelet cannot read the machine
  static void Describe(auto& self, auto& fields) {
    fields.Always("LogicalCores", self.logical_cpus);
    fields.Always("Nodes", self.nodes);
    fields.IfSet("error", self.error);
  }
};

// Who owns CPUs, where an agent pins.
struct PinDocument {
  std::string pod;  // namespace/name; its UID where that is not known
  std::string uid, container, cpus;
  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("uid", self.uid);
    fields.Always("container", self.container);
    fields.Always("cpus", self.cpus);
  }
};

struct PinsDocument {
  std::vector<PinDocument> owners;  // by pod and container
  std::string shared;               // CPUs of all others
  std::string error;                // why the state cannot be read
  static void Describe(auto& self, auto& fields) {
    fields.Always("owners", self.owners);
    fields.Always("shared", self.shared);
    fields.IfSet("error", self.error);
  }
};

struct MachineDocument {
  std::string online, present;
  std::vector<std::string> cores;         // online CPUs of each
  std::vector<int64_t> threads_per_core;  // which numbers of them there are
  std::vector<std::pair<std::string, std::string>> packages;
  std::vector<ZoneDocument> zones;
  std::string isolated, offline, without_zone;
  std::vector<CacheDocument> caches;
  std::vector<std::string> notices;
  KubeletDocument kubelet;
  std::optional<PinsDocument> pins;  // nothing: no agent has pinned here
  static void Describe(auto& self, auto& fields) {
    fields.Always("online", self.online);
    fields.Always("present", self.present);
    fields.Always("cores", self.cores);
    fields.Always("threads_per_core", self.threads_per_core);
    fields.Always("packages", self.packages);
    fields.Always("zones", self.zones);
    fields.Always("isolated", self.isolated);
    fields.Always("offline", self.offline);
    fields.Always("without_zone", self.without_zone);
    fields.Always("caches", self.caches);
    fields.Always("notices", self.notices);
    fields.Always("kubelet", self.kubelet);
    fields.IfSet("pins", self.pins);
  }
};

MachineDocument DescribeMachine(const machine::Machine& machine, const StatusOr<kubelet_api::KubeletMachine>& kubelet);

}  // namespace huygens::agent
