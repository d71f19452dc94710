// An NRI plugin: connects to the runtime's NRI socket, answers what it asks by CreationHooks on a thread of its own,
// and connects again whenever the connection is lost, for as long as it lives.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "runtime/container_runtime.h"
#include "runtime/nri_session.h"

namespace huygens::runtime {

struct NriOptions {
  std::string socket = "/var/run/nri/nri.sock";
  NriName name;
  Duration first_retry = std::chrono::milliseconds(50);  // doubles
  Duration last_retry = std::chrono::seconds(1);
};

class NriPlugin {
 public:
  // Begins at once. `hooks` must outlive it; `waiter` waits between retries.
  NriPlugin(NriOptions options, CreationHooks& hooks, std::unique_ptr<Waiter> waiter, Random random);
  // When it returns, `hooks` are called no more. Waits for the call that is under way. What the runtime asked and was
  // not answered it does as if there was no plugin.
  ~NriPlugin();
  NriPlugin(const NriPlugin&) = delete;
  NriPlugin& operator=(const NriPlugin&) = delete;

 private:
  void Run();
  // Until the connection is lost, and why.
  Status Serve();
  Status Talk(int socket);

  const NriOptions options_;
  CreationHooks& hooks_;
  std::unique_ptr<Waiter> waiter_;
  Backoff backoff_;
  bool was_ready_ = false;    // the last connection came so far that the runtime asked
  int ending_[2] = {-1, -1};  // a pipe: what is written to it ends the thread
  std::thread thread_;        // the last: it uses the others
};

}  // namespace huygens::runtime
