#include "agent/pin_diagnosis.h"

#include <algorithm>

#include "base/text.h"
#include "pinning/node_cpus.h"
#include "pinning/pod_ask.h"

namespace huygens::agent {
namespace {

using pinning::CpuSet;
using pinning::Pool;

class Doctor {
 public:
  explicit Doctor(const PinFacts& facts) : facts_(facts), node_(pinning::MakeNodeCpus(facts.machine, {})) {}

  PinDiagnosis Look() {
    Node();
    if (!facts_.containers.ok()) {
      Bad("node", Concat("the runtime cannot be asked: ", Message(facts_.containers.status())),
          Concat("is ", facts_.runtime_socket,
                 " the runtime's socket (pin.runtimeSocket), and is its folder mounted?"));
      return Done();
    }
    bool found = false;
    for (const ContainerFacts& each : *facts_.containers) {
      if (each.container.state != runtime::ContainerState::kRunning || !Asked(*each.container.pod)) continue;
      found = true;
      Container(each);
    }
    if (!found) {
      const std::string who = facts_.pod.empty() ? "no pod" : Concat("no pod ", facts_.pod);
      Bad("node", Concat(who, " has a running container here"),
          "is it on this node (kubectl get pod -o wide), and has it begun?");
    }
    return Done();
  }

 private:
  bool Asked(const runtime::Pod& pod) const {
    return facts_.pod.empty() || facts_.pod == pod.name || facts_.pod == Concat(pod.namespace_name, "/", pod.name);
  }
  PinDiagnosis Done() { return std::move(diagnosis_); }
  void Say(std::string_view mark, std::string_view about, std::string_view what, std::string_view advice) {
    diagnosis_.text += Concat(mark, " ", about, ": ", what, "\n");
    if (!advice.empty()) diagnosis_.text += Concat("  -> ", advice, "\n");
  }
  void Bad(std::string_view about, std::string_view what, std::string_view advice) {
    diagnosis_.well = false;
    Say("!", about, what, advice);
  }

  void Node() {
    if (facts_.kubelet_policy == "static") {
      Bad("node", "kubelet's cpuManagerPolicy is static: it pins here, and the agent touches nothing",
          "set cpuManagerPolicy: none, remove kubelet's cpu_manager_state and restart kubelet, if the agent is to pin");
    }
    if (!facts_.state.ok()) {
      Bad("node", Concat("the agent's state file cannot be used: ", Message(facts_.state.status())),
          "the agent keeps a bad file aside and makes it anew when it starts");
    } else if (facts_.state->shared.empty()) {
      Bad("node", Concat(facts_.state_file, " is not there: the agent has pinned nobody yet"),
          "does it run (pin.enabled, /readyz?verbose, its log)? Is pin.stateFile this file?");
    }
    if (facts_.nri_socket.empty()) {
      Say("-", "node", "NRI is switched off (pin.nriSocket): containers are pinned some milliseconds after their start",
          "");
    } else if (!facts_.nri_there) {
      Say("-", "node",
          Concat("no NRI at ", facts_.nri_socket, ": containers are pinned some milliseconds after their start"),
          "containerd from 2.0 on has it, 1.7 where [plugins.\"io.containerd.nri.v1.nri\"] says disable = false, CRI-O "
          "from 1.26");
    }
  }

  void Container(const ContainerFacts& each) {
    const runtime::Container& container = each.container;
    const runtime::Pod& pod = *container.pod;
    const std::string name = Concat(pod.namespace_name, "/", pod.name, " ", container.name);
    if (!each.kernel.ok()) {
      Bad(name, Concat("its CPU set cannot be read: ", Message(each.kernel.status())),
          "is /sys/fs/cgroup mounted, read-only?");
      return;
    }
    const auto has = pinning::ParseSet(each.kernel->cpus);
    if (!has.ok()) return Bad(name, Concat("its CPU set is no list: ", each.kernel->cpus), "");
    const pinning::PodAsk ask = pinning::AskOf(
        pinning::TextsOf(pod.uid, facts_.node_name, [&](std::string_view key) -> std::optional<std::string_view> {
          const auto at = pod.annotations.find(key);
          if (at == pod.annotations.end()) return std::nullopt;
          return at->second;
        }));
    const int cpus = pinning::WholeCpus(container.resources.cpu_shares, container.resources.cpu_quota,
                                        container.resources.cpu_period);
    if (ask.pool == Pool::kShared) return Shared(name, *has, ask);
    if (cpus == 0) {
      return Say("-", name,
                 Concat("shares CPUs ", each.kernel->cpus, ": its CPU request is no whole number, or is not its limit"),
                 "ask for whole CPUs, with a limit that equals the request, if it is to have its own");
    }
    Asking(name, container, *has, ask, cpus);
  }

  void Shared(const std::string& name, const CpuSet& has, const pinning::PodAsk& ask) {
    const std::string what = Concat("shares CPUs ", pinning::ListOf(has), ": ", ask.why);
    if (facts_.state.ok() && !facts_.state->shared.empty() && !(has - facts_.state->shared).empty() &&
        facts_.kubelet_policy != "static") {
      return Bad(name, Concat(what, "; but others are to share only ", pinning::ListOf(facts_.state->shared)),
                 "the agent repairs that within pin.interval if it runs; see its log");
    }
    Say("-", name, what,
        ask.why.find("no annotation") == std::string::npos
            ? ""
            : "huygens writes it as it binds a pod that asks for zones: is it scheduled by huygens, with whole CPUs, "
              "on a managed node?");
  }

  void Asking(const std::string& name, const runtime::Container& container, const CpuSet& has,
              const pinning::PodAsk& ask, int cpus) {
    for (const pinning::ZoneShare& share : ask.zones) {
      if (node_.Zone(share.zone) != nullptr) continue;
      return Bad(
          name,
          Concat("its topology-result names node", std::to_string(share.zone), ", which this machine does not have"),
          "its topology object is of another machine: does the agent of this node publish it?");
    }
    if (ask.pool == Pool::kNuma) {
      return Say("+", name, Concat("shares CPUs ", pinning::ListOf(has), " of its zones (cpu-policy numa)"), "");
    }
    const CpuSet* own = OwnOf(container);
    if (own == nullptr) {
      return Bad(name,
                 Concat("runs on ", pinning::ListOf(has), " and has no CPUs of its own, though its pod was given ",
                        std::to_string(ask.Cpus())),
                 "the agent's log and the Event NotPinned on the pod say why");
    }
    const CpuSet offline = *own - node_.online;
    if (!offline.empty()) {
      Bad(name, Concat("of its CPUs ", pinning::ListOf(offline), " are offline"),
          "set them online, or restart the pod");
    }
    if (has == *own - offline) {
      const bool fewer = has.Count() < cpus && offline.empty();
      return Say(fewer ? "!" : "+", name,
                 Concat("has CPUs ", pinning::ListOf(has), " (", PoolName(ask.pool), ")",
                        fewer ? Concat(", fewer than the ", std::to_string(cpus), " that it asks for") : ""),
                 "");
    }
    Bad(name, Concat("runs on ", pinning::ListOf(has), ", but is to have ", pinning::ListOf(*own)),
        "an update was lost, or somebody else writes its set (another NRI plug-in, crane-agent, koordlet): the agent "
        "repairs "
        "it within pin.interval and counts huygens_agent_pins_repaired_total; where that grows, end the other");
  }

  const CpuSet* OwnOf(const runtime::Container& container) const {
    if (!facts_.state.ok()) return nullptr;
    const auto pod = facts_.state->pods.find(container.pod->uid);
    if (pod == facts_.state->pods.end()) return nullptr;
    const auto at = pod->second.containers.find(container.name);
    return at == pod->second.containers.end() ? nullptr : &at->second;
  }

  const PinFacts& facts_;
  const pinning::NodeCpus node_;
  PinDiagnosis diagnosis_;
};

}  // namespace

PinDiagnosis Diagnose(const PinFacts& facts) { return Doctor(facts).Look(); }

}  // namespace huygens::agent
