// A container runtime of this process: containers with a spec and, while they run, a set in the kernel. It does what a
// real one does with updates: during a start they change the spec alone.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "pinning/cpu_set.h"
#include "runtime/container_runtime.h"

namespace huygens::pinner::testing {

using pinning::CpuSet;

class FakeRuntime final : public runtime::ContainerRuntime {
 public:
  struct Box {
    runtime::Container facts;
    CpuSet spec;    // empty: all
    CpuSet kernel;  // while it runs
    bool starting = false;
  };

  explicit FakeRuntime(CpuSet all) : all_(std::move(all)) {}

  // Called after each change of a kernel set, under the lock.
  std::function<void()> on_change = [] {};
  // Whether this write is to fail; under the lock.
  std::function<Status(const std::string&)> fault = [](const std::string&) { return absl::OkStatus(); };

  void Add(runtime::Container facts, const runtime::Cpuset& answered = {}) {
    const std::lock_guard lock(mutex_);
    facts.state = runtime::ContainerState::kCreated;
    const std::string id = facts.id;
    boxes_[id] = {std::move(facts), answered.cpus.empty() ? CpuSet() : *pinning::ParseSet(answered.cpus), {}, false};
  }
  // From here until Started an update is lost.
  void Begin(const std::string& id) {
    const std::lock_guard lock(mutex_);
    Box& box = boxes_.at(id);
    box.starting = true;
    box.kernel = box.spec.empty() ? all_ : box.spec;
  }
  runtime::Container Started(const std::string& id) {
    const std::lock_guard lock(mutex_);
    Box& box = boxes_.at(id);
    box.starting = false;
    box.facts.state = runtime::ContainerState::kRunning;
    on_change();
    return box.facts;
  }
  runtime::Container Start(const std::string& id) {
    Begin(id);
    return Started(id);
  }
  runtime::Container Exit(const std::string& id) {
    const std::lock_guard lock(mutex_);
    Box& box = boxes_.at(id);
    box.facts.state = runtime::ContainerState::kExited;
    box.kernel = {};
    return box.facts;
  }
  void Remove(const std::string& id) {
    const std::lock_guard lock(mutex_);
    boxes_.erase(id);
  }
  void Drift(const std::string& id, const CpuSet& to) {
    const std::lock_guard lock(mutex_);
    boxes_.at(id).kernel = to;
  }

  StatusOr<std::vector<runtime::Container>> List() override {
    const std::lock_guard lock(mutex_);
    std::vector<runtime::Container> all;
    for (const auto& [id, box] : boxes_) all.push_back(box.facts);
    return all;
  }
  StatusOr<runtime::Container> Get(std::string_view id) override {
    const std::lock_guard lock(mutex_);
    const auto at = boxes_.find(id);
    if (at == boxes_.end()) return NotFound("no such container");
    return at->second.facts;
  }
  Status UpdateCpus(std::string_view id, const runtime::Cpuset& to) override {
    const std::lock_guard lock(mutex_);
    const auto at = boxes_.find(id);
    if (at == boxes_.end() || at->second.facts.state == runtime::ContainerState::kExited) return NotFound("gone");
    if (Status status = fault(at->first); !status.ok()) return status;
    const CpuSet cpus = *pinning::ParseSet(to.cpus);
    if (cpus.empty() || !pinning::Within(cpus, all_)) return Invalid("cpuset.cpus: no such CPU");
    ++writes_;
    at->second.spec = cpus;
    if (lose_next > 0) {
      --lose_next;
    } else if (at->second.facts.state == runtime::ContainerState::kRunning) {
      at->second.kernel = cpus;
    }
    on_change();
    return absl::OkStatus();
  }
  StatusOr<runtime::Cpuset> ReadCpuset(std::string_view id) override {
    const std::lock_guard lock(mutex_);
    ++reads_;
    const auto at = boxes_.find(id);
    if (at == boxes_.end() || at->second.kernel.empty()) return NotFound("no cgroup");
    return runtime::Cpuset{pinning::ListOf(at->second.kernel), "0"};
  }

  // Under the lock of on_change and fault.
  const std::map<std::string, Box, std::less<>>& boxes() const { return boxes_; }
  std::string KernelOf(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    return pinning::ListOf(boxes_.at(id).kernel);
  }
  int writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  int reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }
  int lose_next = 0;  // writes that change the spec alone

 private:
  mutable std::mutex mutex_;
  CpuSet all_;
  std::map<std::string, Box, std::less<>> boxes_;
  int writes_ = 0, reads_ = 0;
};

inline std::shared_ptr<runtime::Pod> MadePod(const std::string& uid, const std::string& result,
                                             const std::string& policy = "", const std::string& smt = "") {
  auto pod = std::make_shared<runtime::Pod>();
  pod->sandbox_id = "sandbox-" + uid;
  pod->uid = uid;
  pod->namespace_name = "default";
  pod->name = uid;
  if (!result.empty()) pod->annotations["topology.crane.io/topology-result"] = result;
  if (!policy.empty()) pod->annotations["topology.crane.io/cpu-policy"] = policy;
  if (!smt.empty()) pod->annotations["huygens.dev/smt"] = smt;
  return pod;
}

// node0: 2, node3: 1 -> as the scheduler writes it.
inline std::string Result(const std::vector<std::pair<int, int>>& zones) {
  std::string text = "[";
  for (const auto& [zone, cpus] : zones) {
    text += Concat(text.size() > 1 ? "," : "", R"({"name":"node)", std::to_string(zone),
                   R"(","type":"Node","resources":{"capacity":{"cpu":")", std::to_string(cpus), R"("}}})");
  }
  return text + "]";
}

inline runtime::Container MadeContainer(const std::string& id, const std::string& name,
                                        std::shared_ptr<const runtime::Pod> pod, int cpus) {
  runtime::Container container;
  container.id = id;
  container.name = name;
  container.pod = std::move(pod);
  container.state = runtime::ContainerState::kCreated;
  container.resources.cpu_period = 100000;
  container.resources.cpu_shares = cpus > 0 ? cpus * 1024 : 2;
  container.resources.cpu_quota = cpus > 0 ? cpus * 100000 : 0;
  return container;
}

}  // namespace huygens::pinner::testing
