// What the sessions of one server share: its options, its handler, who is connected. For the files of net/ only.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "net/event_loop.h"
#include "net/server.h"
#include "net/tls_identity.h"

namespace huygens::net {

class Session;

// A part of the bytes in flight, for as long as it lives.
class Charge {
 public:
  Charge() = default;
  Charge(std::shared_ptr<std::atomic<size_t>> total, size_t bytes) : total_(std::move(total)), bytes_(bytes) {
    *total_ += bytes_;
  }
  Charge(Charge&& other) noexcept : total_(std::move(other.total_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    Charge old(std::move(*this));
    total_ = std::move(other.total_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~Charge() {
    if (total_ != nullptr) *total_ -= bytes_;
  }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<std::atomic<size_t>> total_;
  size_t bytes_ = 0;
};

class Server::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(EventLoop& event_loop, ServerOptions server_options, Handler request_handler);

  Status Listen();
  void EndConnections() { ending_ = true; }
  void Drain(Duration grace, std::function<void(size_t cut)> done);
  void Shutdown();

  // For the sessions.
  void Leave(const std::shared_ptr<Session>& session);
  bool draining() const { return draining_; }
  // Whether connections should end with the answer under way.
  bool ending() const { return ending_ || draining_ || crowded(); }
  // Whether a new connection waits for a place.
  bool crowded() const { return waiting_.has_value(); }
  // If a new connection waits, has the one end that can be missed most; false if none can.
  bool MakeRoom();
  void ReportConnectionError(std::string_view peer, std::string_view reason) const;
  void Warn(std::string_view text) const;

  EventLoop& loop;
  const ServerOptions options;
  const Handler handler;
  uint16_t port = 0;
  std::atomic<int64_t> certificate_expiry_ns = 0;
  size_t connections() const { return sessions_.size(); }
  const std::string& certificates() const { return tls_.chain; }
  // Shared with requests that outlive their connection, and maybe the server.
  const std::shared_ptr<std::atomic<size_t>> bytes_in_flight = std::make_shared<std::atomic<size_t>>(0);

 private:
  void Accept();
  void OnAccept(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);
  void Admit(boost::asio::ip::tcp::socket socket);
  // Looks again and again whether one of the connections has become slow, while another waits for a place.
  void WaitForSlow();
  Status LoadTls();
  void WatchTlsFiles();
  void FinishDrain();

  boost::asio::ip::tcp::acceptor acceptor_;
  TlsIdentity tls_;  // without context: plain HTTP
  TlsStamps stamps_{};
  std::string reload_fault_;  // the last one reported, so that it is reported once
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  std::optional<boost::asio::ip::tcp::socket> waiting_;  // accepted, but there is no room
  Timer reload_timer_, accept_timer_, room_timer_, drain_timer_;
  std::function<void(size_t)> drained_;
  bool accepting_ = false;
  bool accept_failing_ = false;
  bool full_ = false;
  bool ending_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace huygens::net
