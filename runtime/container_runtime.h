// The node's container runtime as the agent sees it: which containers there are, what becomes of them, and their CPU
// sets. Two ways lead there. CRI works with every runtime: list, events, and updates of running containers; it is
// always after the fact. NRI (containerd from 1.7, CRI-O from 1.26, where switched on) asks before a container is made,
// so that its first instruction already runs where it should. Who pins implements EventSink and CreationHooks, and
// calls ContainerRuntime; nothing here decides anything, and nothing here includes gRPC.
//
// Sources: k8s.io/cri-api pkg/apis/runtime/v1/api.proto, github.com/containerd/nri pkg/api/api.proto.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::runtime {

using Texts = std::map<std::string, std::string, std::less<>>;  // labels, annotations

// A pod's sandbox. Labels and annotations are those of the moment in which it was made: what is written into the pod
// later never arrives here. What bind writes with the node name is there.
struct Pod {
  std::string sandbox_id;
  std::string uid;
  std::string namespace_name;
  std::string name;
  Texts labels;
  Texts annotations;
  bool ready = true;  // false: its sandbox has ended
};

enum class ContainerState { kUnknown, kCreated, kRunning, kExited };

// A CPU set and a set of memory nodes as the kernel writes lists: "0-3,8". Empty: not set, or not to be changed. A set
// can never be cleared, neither by CRI nor by NRI.
struct Cpuset {
  std::string cpus;
  std::string mems;
  friend bool operator==(const Cpuset&, const Cpuset&) = default;
};

// What the container's spec asks of its cgroup. Unset: the runtime does not tell.
struct Resources {
  Cpuset cpuset;
  std::optional<int64_t> cpu_quota;   // microseconds per period; negative: none
  std::optional<int64_t> cpu_period;  // microseconds
  std::optional<int64_t> cpu_shares;  // 1024 for a CPU
  std::optional<int64_t> memory;      // bytes
};

struct Container {
  std::string id;
  std::string name;                // in the pod
  std::shared_ptr<const Pod> pod;  // never null; of a sandbox that is not known, it has no more than its ID
  int64_t restart_count = 0;       // 0 also where the runtime does not tell
  ContainerState state = ContainerState::kUnknown;
  Resources resources;
};

// CRI. All calls may be made from any thread, several at a time; each blocks until the runtime answers, or until its
// time is over (10 s for updates, 5 s for the others). Errors say which call to which socket failed, and what to do;
// Unavailable: the runtime is away (it restarts, for instance), the next call may work.
//
// NO LOCK may be held across UpdateCpus that any method of CreationHooks takes: the runtime calls
// CreationHooks::OnUpdate of this very process before UpdateCpus returns.
class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;

  // All containers of pods that the runtime has, exited ones too, by ID. Well below a millisecond for what is known;
  // each container that it sees for the first time costs one more call. `resources` are those of that call or of the
  // last event, at most a minute old: ask Get where that matters.
  virtual StatusOr<std::vector<Container>> List() = 0;

  // One container as it is now. NotFound: it is gone.
  virtual StatusOr<Container> Get(std::string_view id) = 0;

  // Merges what is not empty into the container's spec and its cgroup; shares, quota and memory stay. Costs 10 to 300
  // ms, since the runtime starts runc for it: leave out what changes nothing (ReadCpuset). OK does NOT mean that the
  // cgroup has it: an update during the container's start changes the spec alone. Read back after OnStarted and repeat.
  // NotFound: the container is gone. InvalidArgument: the kernel refused the set (no such CPU); nothing has changed.
  virtual Status UpdateCpus(std::string_view id, const Cpuset& to) = 0;

  // What the kernel has for a running container: cpuset.cpus and cpuset.mems, on cgroup v2 the effective ones. One or
  // two small files; the first time also a call. NotFound: the container, or its cgroup, is not there (not yet, or no
  // longer). FailedPrecondition: the cgroups of the node cannot be read here, which the text explains.
  virtual StatusOr<Cpuset> ReadCpuset(std::string_view id) = 0;
};

// What CRI tells of containers, as soon as it is known: by events where the runtime has any, else from the next List.
// Called by one thread, one call at a time; never by a thread that waits in ContainerRuntime. Return within 20 ms: hand
// over to a thread of your own whatever calls the runtime, for a slow reader delays the runtime itself. Events may
// repeat, may be late, and some may be lost: each lost connection ends in OnResync.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // It is made, not started. An update now mostly loses against the start (ContainerRuntime::UpdateCpus).
  virtual void OnCreated(const Container& container) = 0;
  // Its first process runs. Time for UpdateCpus, and for ReadCpuset after whatever was updated before.
  virtual void OnStarted(const Container& container) = 0;
  // It has ended or is gone; of one that is gone the last known is told.
  virtual void OnStopped(const Container& container) = 0;
  // Compare everything with List() now: at the start, after each lost connection, and every `resync_period`. `why` is
  // for the log.
  virtual void OnResync(std::string_view why) = 0;
  // Whether the runtime can be reached: then `what` says which it is and how its events come; else what is wrong and
  // what to do about it. Called when either changes.
  virtual void OnConnection(bool connected, std::string_view what) = 0;
};

// A change of another container that goes with an answer. Merged as by UpdateCpus.
struct OtherUpdate {
  std::string id;
  Cpuset to;
};

struct CreationAnswer {
  Cpuset own;                       // empty: as the runtime would have it
  std::vector<OtherUpdate> others;  // done by the runtime before the container is made
};

// NRI. The runtime waits for the answer to each of these, and so do all other creations on the node. Called by one
// thread, one call at a time, and not by that of EventSink. A reply later than 2 s makes the runtime close the
// connection and create the container WITHOUT the answer; the aim is a p99 of 20 ms. So: no call of ContainerRuntime
// in here, no lock that is held across one, no waiting for anything but memory and one small file.
class CreationHooks {
 public:
  virtual ~CreationHooks() = default;

  // All pods and containers there are, after each connect; they were not pinned by NRI while nobody was connected:
  // repair them through ContainerRuntime, on another thread. Keep the list and return.
  virtual void OnSynchronize(std::vector<Container> containers) = 0;
  // The pod's sandbox is about to run, 30 to 250 ms before its first container is created.
  virtual void OnPod(const Pod& pod) = 0;
  // Before the container is made; also after a crash, with a new ID. `container.resources` is what kubelet asked for.
  // An error refuses the container: the pod is Pending with CreateContainerError and this text, and kubelet tries again
  // after 10 s or more. A CPU that does not exist fails the start.
  virtual StatusOr<CreationAnswer> OnCreate(const Container& container) = 0;
  // Somebody updates the container: kubelet, or UpdateCpus of this process. `container.resources` is what the container
  // has, `asked` what it is to get. What is returned is done in place of the cpuset in `asked`; empty: as asked.
  virtual Cpuset OnUpdate(const Container& container, const Resources& asked) = 0;
  // The container has stopped; what was its own may be given to others. May come twice.
  virtual std::vector<OtherUpdate> OnStop(const Container& container) = 0;
  // Whether NRI works at the moment; `why` it does not, and what to do about it, else "". While it does not, containers
  // are created unpinned and only EventSink hears of them.
  virtual void OnConnection(bool connected, std::string_view why) = 0;
};

}  // namespace huygens::runtime
