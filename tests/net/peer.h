// A server that misbehaves as a test wants it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "net/client.h"
#include "tests/net/fixture.h"

namespace huygens::net::testing {

// A peer that does what the test tells it, connection after connection. `serve` gets the connection's number and its
// socket.
class Peer {
 public:
  explicit Peer(std::function<void(int number, int socket)> serve)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve = std::move(serve)] {
      for (int number = 1;; ++number) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        serve(number, socket);
        ::close(socket);
      }
    });
  }
  ~Peer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // Reads until the request's head and `body_size` bytes more are there.
  static std::string ReadRequest(int socket, size_t body_size = 0) {
    std::string text;
    char piece[4096];
    while (true) {
      const size_t end = text.find("\r\n\r\n");
      if (end != std::string::npos && text.size() >= end + 4 + body_size) return text;
      const ssize_t size = ::recv(socket, piece, sizeof piece, 0);
      if (size <= 0) return text;
      text.append(piece, static_cast<size_t>(size));
    }
  }
  static void Send(int socket, const std::string& text) { ::send(socket, text.data(), text.size(), MSG_NOSIGNAL); }
  static void WaitForEnd(int socket) {
    char piece[4096];
    while (::recv(socket, piece, sizeof piece, 0) > 0) {
    }
  }

 private:
  int listener_;
  uint16_t port_ = 0;
  std::thread thread_;
};

inline std::unique_ptr<Client> To(const std::string& url) {
  ClientOptions options;
  options.base_url = url;
  auto client = Client::Create(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

inline constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

}  // namespace huygens::net::testing
