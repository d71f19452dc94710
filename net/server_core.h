// What the sessions of one server share: its options, its handler, who is connected. For the files of net/ only.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "net/event_loop.h"
#include "net/server.h"
#include "net/tls_identity.h"

namespace huygens::net {

class Session;

class Server::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(EventLoop& event_loop, ServerOptions server_options, Handler request_handler);

  Status Listen();
  void Drain(Duration grace, std::function<void(size_t cut)> done);
  void Shutdown();

  // For the sessions.
  void Leave(const std::shared_ptr<Session>& session);
  bool draining() const { return draining_; }
  void ReportConnectionError(std::string_view peer, std::string_view reason) const;
  void Warn(std::string_view text) const;

  EventLoop& loop;
  const ServerOptions options;
  const Handler handler;
  uint16_t port = 0;
  std::atomic<int64_t> certificate_expiry_ns = 0;
  size_t connections() const { return sessions_.size(); }

 private:
  void Accept();
  void OnAccept(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);
  Status LoadTls();
  void WatchTlsFiles();
  void FinishDrain();

  boost::asio::ip::tcp::acceptor acceptor_;
  TlsIdentity tls_;  // without context: plain HTTP
  TlsStamps stamps_{};
  std::string reload_fault_;  // the last one reported, so that it is reported once
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  Timer reload_timer_, accept_timer_, drain_timer_;
  std::function<void(size_t)> drained_;
  bool accepting_ = false;
  bool accept_failing_ = false;
  bool full_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace huygens::net
