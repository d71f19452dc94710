// Keeps the counted resources of the configuration in the node's status.capacity: at start, after each restart of kubelet
// (which may have made the node anew, or set them to 0), and every five minutes; writes only where something differs. A
// thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/waiter.h"
#include "device_plugins/counted_resources.h"
#include "net/client.h"
#include "observe/log.h"

namespace huygens::agent {

class CountedWriter {
 public:
  struct Options {
    net::ClientOptions api_server;
    std::string node_name;
    // None: what an earlier configuration left is taken back once, and then it rests.
    std::vector<device_plugins::CountedResource> wanted;
    std::string checkpoint;  // kubelet's file with the names that plug-ins have registered
  };
  struct State {
    std::string fault;             // of the last attempt
    std::set<std::string> served;  // names left alone, since a device plug-in has them
    uint64_t written = 0, failed = 0;
  };

  // `log` must outlive it. Errors are those of the API server's credentials.
  static StatusOr<std::unique_ptr<CountedWriter>> Start(Options options, observe::Log& log);
  ~CountedWriter();

  // Both from any thread.
  void KubeletCame();
  State state() const;

 private:
  CountedWriter(Options options, std::unique_ptr<net::Client> client, observe::Log& log);
  void Run();
  Status Look();

  const Options options_;
  const std::unique_ptr<net::Client> client_;
  observe::Log& log_;
  std::atomic<bool> kubelet_came_ = true;
  SteadyWaiter waiter_;
  mutable std::mutex mutex_;  // guards state_
  State state_;
  std::thread thread_;
};

}  // namespace huygens::agent
