// A server on a loop of its own thread, and a raw socket to talk to it byte by byte.
#pragma once

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "net/server.h"

namespace huygens::net::testing {

constexpr auto kPatience = std::chrono::seconds(20);

// What threads tell a test; the test waits for it.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_all();
  }
  // The next value; fails the test and returns T{} when none comes.
  T Take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [&] { return !values_.empty(); })) {
      ADD_FAILURE() << "waited in vain";
      return T{};
    }
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  // Takes values until one contains `text`.
  T TakeContaining(const std::string& text) {
    while (true) {
      T value = Take();
      if (value.empty() || value.find(text) != std::string::npos) return value;
    }
  }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return values_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
};

class LoopThread {
 public:
  LoopThread() = default;
  ~LoopThread() { Join(); }
  void Run() {
    thread_ = std::thread([this] { loop.Run(); });
  }
  void Join() {
    if (!thread_.joinable()) return;
    loop.Stop();
    thread_.join();
  }
  // Runs `call` on the loop and returns what it returns.
  template <typename Call>
  auto Ask(Call call) {
    std::packaged_task<decltype(call())()> task(std::move(call));
    auto result = task.get_future();
    loop.Post([&task] { task(); });
    return result.get();
  }

  EventLoop loop;

 private:
  std::thread thread_;
};

// Echoes the body. Faults and warnings of the server land in the inboxes.
class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}, Handler handler = Echo) {
    if (options.address.empty()) options.address = "127.0.0.1:0";
    options.observers.on_connection_error = [this](std::string_view text) { faults.Put(std::string(text)); };
    options.observers.on_warning = [this](std::string_view text) { warnings.Put(std::string(text)); };
    options.observers.on_notice = [this](std::string_view text) { notices.Put(std::string(text)); };
    auto started = Server::Start(thread.loop, std::move(options), std::move(handler));
    if (!started.ok()) {
      ADD_FAILURE() << started.status();
      return;
    }
    server = *std::move(started);
    thread.Run();
  }
  ~TestServer() { thread.Join(); }

  static void Echo(const Request& request, Respond respond) {
    respond({200, "application/json", std::string(request.body)});
  }
  uint16_t port() const { return server->port(); }
  std::string Url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port());
  }

  Inbox<std::string> faults, warnings, notices;
  LoopThread thread;
  std::unique_ptr<Server> server;
};

class RawConnection {
 public:
  explicit RawConnection(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return connected_; }
  int socket() const { return socket_; }
  // False when the peer takes no more.
  bool Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void EndSending() { ::shutdown(socket_, SHUT_WR); }

  struct Reply {
    int status = 0;
    std::string head;
    std::string body;
  };
  // One reply with Content-Length; status 0 when the connection ended instead.
  Reply Receive(bool with_body = true) {
    Reply reply;
    size_t end = std::string::npos;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return reply;
    }
    reply.head = input_.substr(0, end + 2);
    input_.erase(0, end + 4);
    reply.status = std::atoi(reply.head.c_str() + std::strlen("HTTP/1.1 "));
    const size_t at = reply.head.find("Content-Length: ");
    const size_t size = at == std::string::npos || !with_body ? 0 : std::stoul(reply.head.substr(at + 16));
    while (input_.size() < size) {
      if (!Fill()) return {};
    }
    reply.body = input_.substr(0, size);
    input_.erase(0, size);
    return reply;
  }
  // Whether the server closes now, without another byte.
  bool Ended() { return input_.empty() && !Fill() && input_.empty(); }

 private:
  bool Fill() {
    char piece[65536];
    const ssize_t size = ::recv(socket_, piece, sizeof piece, 0);
    if (size < 0 && errno != ECONNRESET) ADD_FAILURE() << "receive: " << std::strerror(errno);
    if (size <= 0) return false;
    input_.append(piece, static_cast<size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string input_;
};

inline std::string Post(const std::string& body, const std::string& more_headers = "") {
  return "POST /filter HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more_headers +
         "\r\n" + body;
}

}  // namespace huygens::net::testing
