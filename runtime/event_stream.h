// A stream of messages from a gRPC server, read by one thread that also has other things to do: each wait has an end.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/time.h"
#include "runtime/call_error.h"

namespace huygens::runtime {

template <typename Message>
class EventStream {
 public:
  using Prepare =
      std::function<std::unique_ptr<grpc::ClientAsyncReader<Message>>(grpc::ClientContext*, grpc::CompletionQueue*)>;

  // `call` and `socket` are for errors. `prepare`: PrepareAsync… of a stub.
  EventStream(std::string call, std::string socket, const Prepare& prepare)
      : call_(std::move(call)), socket_(std::move(socket)), reader_(prepare(&context_, &queue_)) {
    reader_->StartCall(this);
  }
  ~EventStream() {
    context_.TryCancel();
    if (waiting_) (void)Take(std::nullopt);
    if (!over_) (void)End();
    queue_.Shutdown();
    (void)Take(std::nullopt);
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Any thread, while the object lives: ends the wait in Next, and the stream.
  void Cancel() { context_.TryCancel(); }

  // The next message; nullopt if none comes within `patience`; an error once the stream has ended, by whoever.
  StatusOr<std::optional<Message>> Next(Duration patience) {
    const auto until = std::chrono::system_clock::now() + patience;
    while (!over_) {
      if (!waiting_) {
        reader_->Read(&message_, this);
        waiting_ = true;
      }
      const std::optional<bool> ok = Take(until);
      if (!ok) return std::nullopt;
      waiting_ = false;
      if (!*ok) break;
      if (std::exchange(started_, true)) return std::optional<Message>(std::move(message_));
    }
    return End();
  }

 private:
  // Whether what was waited for went well; nullopt: not yet.
  std::optional<bool> Take(std::optional<std::chrono::system_clock::time_point> until) {
    void* tag = nullptr;
    bool ok = false;
    if (!until) return queue_.Next(&tag, &ok) && ok;
    if (queue_.AsyncNext(&tag, &ok, *until) != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
    return ok;
  }

  Status End() {
    if (!over_) {
      reader_->Finish(&result_, this);
      (void)Take(std::nullopt);
      over_ = true;
    }
    const Status error = CallError(result_, call_, socket_);
    return error.ok() ? Unavailable(Concat(call_, " at ", socket_, ": the runtime has ended the stream")) : error;
  }

  std::string call_, socket_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReader<Message>> reader_;
  Message message_;
  grpc::Status result_;
  bool started_ = false;  // the call is made
  bool waiting_ = true;   // for what the queue is to tell
  bool over_ = false;
};

}  // namespace huygens::runtime
