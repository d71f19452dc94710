// The list of a plug-in's devices, told to whoever follows it by ListAndWatch: to each the whole list at first, and
// again after each change, one message at a time; changes while one is under way become one message. Any thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "device_plugins/device_plugin.pb.h"
#include "device_plugins/device_source.h"

namespace huygens::device_plugins {

class ListStreams {
 public:
  // `ended` is called, on a thread of gRPC, each time a stream has ended that was not ended by End.
  explicit ListStreams(std::function<void()> ended) : ended_(std::move(ended)) {}
  ~ListStreams();  // none may be left

  void Set(const std::vector<Device>& devices);
  // The answer to one call; it frees itself.
  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* Open();
  // Ends all streams, and each that is opened later at once.
  void End();
  size_t open() const;

 private:
  class Stream;
  void Continue(Stream& stream);

  const std::function<void()> ended_;
  mutable std::mutex mutex_;  // guards what follows, and the streams' own states
  v1beta1::ListAndWatchResponse list_;
  uint64_t version_ = 0;
  bool ending_ = false;
  std::set<Stream*> streams_;
};

}  // namespace huygens::device_plugins
