// Keeps the containers of a node on the CPUs that their pods were given. Hears of containers by CRI (EventSink) and,
// where the runtime has it, NRI (CreationHooks); decides by pinning/; remembers in a state file; writes through
// ContainerRuntime on threads of its own.
//
// The callbacks are answered from memory under one lock that no call of the runtime is made under. Each write is
// preceded by the state file (the intent) and followed by a look at the kernel's set; a write that was lost is repeated.
// Ended at any moment, also by SIGKILL, it leaves every container where it is: nothing is undone at the end.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "pinner/book.h"
#include "pinner/state_store.h"

namespace huygens::pinner {

struct PinnerOptions {
  std::string node_name;
  std::string state_file;                            // its folder must exist
  Duration repair_period = std::chrono::seconds(5);  // between two looks at all sets
  int threads = 2;                                   // writes at a time
};

class Pinner final : public runtime::EventSink, public runtime::CreationHooks {
 public:
  // On any thread, without a lock: hand over and return.
  using Tell = std::function<void(PinNote)>;

  // `runtime` must outlive it. `now`: monotonic.
  Pinner(PinnerOptions options, runtime::ContainerRuntime& runtime, Tell tell, std::function<Duration()> now);
  ~Pinner() override { Stop(); }

  // Reads the state file and starts the threads. An error: the file can be neither read nor put aside.
  Status Start();
  // Ends the threads, once the call of the runtime that is under way is over.
  void Stop();

  // The machine and what kubelet reserves of it; null: this node is not to be pinned, or nobody knows yet. Then nothing is
  // written, and NRI is answered that all is well.
  void Manage(std::shared_ptr<const pinning::NodeCpus> node);
  void SetSidecars(std::map<std::string, std::set<std::string>> sidecars);

  PinCounts counts() const;
  PinGauges gauges() const;
  // How it is doing, in a few words; empty: well.
  std::string trouble() const;
  // Why NRI does not work; empty: it does.
  std::string nri_fault() const;

  void OnCreated(const runtime::Container& container) override;
  void OnStarted(const runtime::Container& container) override;
  void OnStopped(const runtime::Container& container) override;
  void OnResync(std::string_view why) override;

  void OnSynchronize(std::vector<runtime::Container> containers) override;
  void OnPod(const runtime::Pod& pod) override;
  StatusOr<runtime::CreationAnswer> OnCreate(const runtime::Container& container) override;
  runtime::Cpuset OnUpdate(const runtime::Container& container, const runtime::Resources& asked) override;
  std::vector<runtime::OtherUpdate> OnStop(const runtime::Container& container) override;
  // Of NRI; how CRI is doing shows in its calls.
  void OnConnection(bool connected, std::string_view why) override;

 private:
  void Work();
  void Do(const Job& job, std::unique_lock<std::mutex>& lock);
  void List(std::unique_lock<std::mutex>& lock);
  // Assigns and saves where something has changed. Under the lock.
  void Decide();
  void TellNotes(std::unique_lock<std::mutex>& lock);
  Duration NextDue(Duration now) const;
  void Changed() { wake_.notify_one(); }
  void ListSoon() { list_often_until_ = now_() + std::chrono::seconds(3); }

  const PinnerOptions options_;
  runtime::ContainerRuntime& runtime_;
  const Tell tell_;
  const std::function<Duration()> now_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  Book book_;
  StateStore store_;
  bool managing_ = false, stopping_ = false, listing_ = false, list_due_ = true;
  Duration next_list_{}, next_repair_{}, list_often_until_{};
  std::string trouble_;  // with the runtime
  std::string save_fault_;
  std::string nri_fault_ = "not connected yet";
  std::vector<PinNote> own_notes_;
  std::vector<std::thread> threads_;
};

}  // namespace huygens::pinner
