// What is known of the containers of a node, who is to run where, and what is to be read or written next for that. No
// I/O, no clock, no thread: Pinner (pinner.h) holds it under a lock, and tests drive it step by step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "pinner/pin_note.h"
#include "pinning/assignment.h"
#include "runtime/container_runtime.h"

namespace huygens::pinner {

struct Job {
  std::vector<std::string> read;  // the kernel's sets of these; else a write
  std::string write;              // to this container
  runtime::Cpuset to;
};

class Book {
 public:
  explicit Book(std::string node_name) : node_name_(std::move(node_name)) {}

  // The machine, or what of it is reserved, has changed.
  void SetNode(std::shared_ptr<const pinning::NodeCpus> node);
  // What the state file says; before anything is assigned.
  void Restore(pinning::PodSets pods) { assignment_.pods = std::move(pods); }
  // Sidecars by pod UID, as kubelet tells: they take no part, though their CPUs may be whole.
  void SetSidecars(std::map<std::string, std::set<std::string>> sidecars);

  // `now`: monotonic. `started`: its first process began to run a moment ago.
  void Put(const runtime::Container& container, Duration now, bool started);
  void Exit(std::string_view id);
  // All there are; what was put after `listed_at` and is not among them stays.
  void Replace(const std::vector<runtime::Container>& all, Duration listed_at);

  // Whether it is known of all that runs on which CPUs that is. Nothing is assigned or written before.
  bool Settled() const { return settled_; }
  // Works out who runs where if anything has changed since. True: the state file is to be written before any job is
  // done.
  bool Reassign();
  const pinning::Assignment& assignment() const { return assignment_; }
  std::map<std::string, std::string, std::less<>> PodNames() const;

  // The next thing to be done, if any; its containers are busy until its result is told.
  std::optional<Job> NextJob(Duration now);
  // When there may be something to do next, if nothing happens.
  std::optional<Duration> NextDue() const;
  void OnRead(std::string_view id, const StatusOr<runtime::Cpuset>& found, Duration now);
  void OnWritten(std::string_view id, const runtime::Cpuset& to, const Status& status,
                 const StatusOr<runtime::Cpuset>& found, Duration now);
  // Everybody's set is to be compared with the kernel's again.
  void ReadAll();

  // NRI. Create also puts the container and assigns; ask Reassign first.
  runtime::CreationAnswer Create(const runtime::Container& container, Duration now);
  runtime::Cpuset Guard(std::string_view id, const runtime::Resources& asked) const;

  // Whether somebody who asks for CPUs could not be given any, so that the pods that are gone are to be looked for.
  bool Short() const;
  // Whether a container was not found, so that all are to be listed again.
  bool TakeDoubt() { return std::exchange(doubt_, false); }
  std::vector<PinNote> TakeNotes() { return std::exchange(notes_, {}); }
  const PinCounts& counts() const { return counts_; }
  PinGauges Gauges() const;

 private:
  struct Entry {
    std::shared_ptr<const runtime::Pod> pod;
    std::string name;
    int cpus = 0;  // pinning::WholeCpus
    uint64_t sequence = 0;
    Duration put_at{};
    bool created_by_us = false;  // NRI asked, and the runtime may not list it yet
    bool running = false, exited = false;
    bool busy = false;  // a read or a write is on its way
    bool read_due = false;
    bool had_its_place = false;  // at its place as it is now
    bool was_there = false;      // at any
    bool drifted = false;
    bool fresh = false;  // it started under our eyes: memory nodes may still be set
    std::optional<pinning::CpuSet> held;
    std::string mems;
    pinning::CpuSet asked;  // what was written last, or answered at its creation
    int lost = 0;           // writes in a row without effect
    int misses = 0;         // reads in a row that found no cgroup
    Duration not_before{};  // of the next read or write
    pinning::Place place;
    std::string told;  // the last warning about it, so that each is told once
    pinning::CpuSet told_cpus;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  static std::string UidOf(const runtime::Pod& pod) { return pod.uid.empty() ? pod.sandbox_id : pod.uid; }
  const pinning::PodAsk& AskOf(const runtime::Pod& pod);
  int CpusOf(const Entry& entry) const;
  std::vector<pinning::LivePod> LivePods();
  void Place(const std::vector<pinning::LivePod>& pods);
  void SeeSettled();
  static bool Verified(const Entry& entry) { return entry.held && *entry.held == entry.place.cpus; }
  void Reached(Entry& entry);
  void Tell(NoteKind kind, Entry& entry, std::string text);
  // CPUs that `of` must not be given now, since others that exclude it may run there.
  pinning::CpuSet Blocked(const Entry& of) const;

  const std::string node_name_;
  std::shared_ptr<const pinning::NodeCpus> node_;
  std::map<std::string, std::set<std::string>> sidecars_;
  Entries entries_;
  std::map<std::string, std::pair<std::string, pinning::PodAsk>, std::less<>> asks_;  // by UID: sandbox, what it asks
  pinning::Assignment assignment_;
  uint64_t next_sequence_ = 0;
  bool listed_ = false, settled_ = false, dirty_ = true, doubt_ = false, unreadable_ = false;
  std::set<std::string> told_conflicts_;
  std::vector<PinNote> notes_;
  PinCounts counts_;
};

}  // namespace huygens::pinner
