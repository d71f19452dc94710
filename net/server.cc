#include "net/server.h"

#include <boost/asio/ip/v6_only.hpp>
#include <vector>

#include "net/address.h"
#include "net/event_loop_impl.h"
#include "net/server_core.h"
#include "net/session.h"

namespace huygens::net {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

// The kernel's limit applies besides (net.core.somaxconn); kube-scheduler binds in bursts of new connections.
constexpr int kBacklog = 4096;
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

Server::Core::Core(EventLoop& event_loop, ServerOptions server_options, Handler request_handler)
    : loop(event_loop),
      options(std::move(server_options)),
      handler(std::move(request_handler)),
      acceptor_(loop.impl().context) {}

Status Server::Core::Listen() {
  HUYGENS_ASSIGN_OR_RETURN(tcp::endpoint endpoint, ParseListenAddress(options.address));
  const TlsOptions& tls = options.tls;
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return Invalid("TLS needs both a certificate file and a key file");
  }
  if (tls.cert_file.empty()) {
    if (!tls.client_ca_file.empty() || !tls.allowed_clients.empty()) {
      return Invalid("client certificates are asked for, but the server has no certificate of its own");
    }
    if (!options.allow_plain_http && !endpoint.address().is_loopback()) {
      return Invalid(
          Concat("plain HTTP on ", options.address,
                 " would let anyone place pods; configure TLS, listen on a loopback address, or allow plain HTTP"));
    }
  } else {
    if (tls.client_ca_file.empty() && !tls.allowed_clients.empty()) {
      return Invalid("allowed client names mean nothing without a client CA file");
    }
    if (tls.client_ca_file.empty() && !tls.allow_any_client && !IsLoopback(endpoint.address())) {
      return Invalid(
          Concat("TLS on ", options.address,
                 " without client certificates would let anyone place pods; name a client CA file, listen on a "
                 "loopback address, or allow any client"));
    }
    HUYGENS_RETURN_IF_ERROR(LoadTls());
  }

  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  const bool all_interfaces = options.address.front() == ':';
  if (error && all_interfaces) {  // a machine without IPv6
    endpoint = tcp::endpoint(asio::ip::address_v4::any(), endpoint.port());
    acceptor_.open(endpoint.protocol(), error);
  }
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && all_interfaces && endpoint.address().is_v6()) {
    acceptor_.set_option(asio::ip::v6_only(false), error);
  }
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error) {
    const bool taken = error == asio::error::address_in_use;
    return Unavailable(Concat("cannot listen on ", options.address, ": ", error.message(),
                              taken ? "; another process listens there (`ss -ltnp` names it)" : ""));
  }
  port = acceptor_.local_endpoint(error).port();
  if (tls_.context != nullptr) WatchTlsFiles();
  Accept();
  return absl::OkStatus();
}

Status Server::Core::LoadTls() {
  // Before reading: a change in between is seen at the next look.
  stamps_ = StampsOf(options.tls);
  HUYGENS_ASSIGN_OR_RETURN(tls_, LoadTlsIdentity(options.tls));
  certificate_expiry_ns = tls_.not_after.time_since_epoch().count();
  if (tls_.not_after < SystemClock().Now()) {
    Warn(Concat("certificate file ", options.tls.cert_file, " expired at ", FormatRfc3339(tls_.not_after),
                "; clients that verify it will refuse this server until it is replaced"));
  }
  return absl::OkStatus();
}

void Server::Core::WatchTlsFiles() {
  reload_timer_ = loop.After(options.tls.reload_interval, [this] {
    // A half-written pair of files is a fault that the next look finds gone, so faulty files are read again each time.
    if (!reload_fault_.empty() || StampsOf(options.tls) != stamps_) {
      if (const Status status = LoadTls(); status.ok()) {
        reload_fault_.clear();
        if (options.observers.on_notice) {
          options.observers.on_notice(Concat("certificate file ", options.tls.cert_file, " reloaded, valid until ",
                                             FormatRfc3339(tls_.not_after)));
        }
      } else if (reload_fault_ != Message(status)) {
        reload_fault_ = Message(status);
        Warn(Concat("TLS files changed, the old ones stay in use: ", reload_fault_));
      }
    }
    WatchTlsFiles();
  });
}

void Server::Core::Accept() {
  if (accepting_ || draining_ || stopped_ || waiting_) return;
  accepting_ = true;
  acceptor_.async_accept([self = shared_from_this()](const error_code& error, tcp::socket socket) {
    self->accepting_ = false;
    self->OnAccept(error, std::move(socket));
  });
}

void Server::Core::OnAccept(const error_code& error, tcp::socket socket) {
  if (stopped_ || draining_) return;  // a connection that came last is closed with its socket
  if (error) {
    // Out of file descriptors or memory: nothing is lost in the backlog, try again when some may be free.
    const bool gone = error == asio::error::connection_aborted;
    if (!gone && !accept_failing_) Warn(Concat("cannot accept connections, trying again: ", error.message()));
    if (!gone) accept_failing_ = true;
    accept_timer_ = loop.After(gone ? Duration::zero() : kAcceptPause, [this] { Accept(); });
    return;
  }
  accept_failing_ = false;
  if (sessions_.size() >= options.max_connections) {
    waiting_ = std::move(socket);
    const bool made_room = MakeRoom();  // then Leave goes on
    if (!made_room) WaitForSlow();
    if (!std::exchange(full_, true)) {
      Warn(Concat("limit of ", std::to_string(options.max_connections), " connections reached; ",
                  made_room ? "the one idle longest gave way" : "further ones wait"));
    }
    return;
  }
  Admit(std::move(socket));
  Accept();
}

void Server::Core::Admit(tcp::socket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const tcp::endpoint remote = socket.remote_endpoint(ignored);
  const auto session = std::make_shared<Session>(shared_from_this(), std::move(socket), tls_.context, remote);
  sessions_.insert(session);
  session->Start();
}

bool Server::Core::MakeRoom() {
  if (!waiting_) return false;
  std::shared_ptr<Session> first;
  std::optional<Session::Standing> lowest;
  for (const auto& session : sessions_) {
    const auto standing = session->standing();
    if (!standing || (lowest && *lowest <= *standing)) continue;
    lowest = standing;
    first = session;
  }
  if (first != nullptr) first->GiveWay();
  return first != nullptr;
}

void Server::Core::WaitForSlow() {
  room_timer_ = loop.After(options.slow_after / 4, [this] {
    if (waiting_ && !MakeRoom()) WaitForSlow();
  });
}

void Server::Core::Leave(const std::shared_ptr<Session>& session) {
  sessions_.erase(session);
  if (draining_) {
    if (sessions_.empty()) FinishDrain();
    return;
  }
  if (waiting_ && sessions_.size() < options.max_connections) {
    tcp::socket socket = *std::exchange(waiting_, std::nullopt);
    Admit(std::move(socket));
  }
  // One place is made at a time while it stays full.
  if (full_ && sessions_.size() + 1 < options.max_connections - options.max_connections / 16) full_ = false;
  Accept();
}

void Server::Core::Drain(Duration grace, std::function<void(size_t cut)> done) {
  if (draining_ || stopped_) return;
  draining_ = true;
  waiting_.reset();
  drained_ = std::move(done);
  error_code ignored;
  acceptor_.close(ignored);
  reload_timer_.Cancel();
  accept_timer_.Cancel();
  room_timer_.Cancel();
  drain_timer_ = loop.After(grace, [this] { FinishDrain(); });
  for (const auto& session : std::vector<std::shared_ptr<Session>>(sessions_.begin(), sessions_.end()))
    session->Drain();
  if (sessions_.empty()) FinishDrain();
}

void Server::Core::FinishDrain() {
  if (stopped_) return;
  const auto self = shared_from_this();
  const size_t cut = sessions_.size();
  Shutdown();
  // Posted: `done` may destroy the server, and the caller may be one of its sessions.
  if (drained_) loop.Post([done = std::exchange(drained_, nullptr), cut] { done(cut); });
}

void Server::Core::Shutdown() {
  stopped_ = true;
  waiting_.reset();
  error_code ignored;
  acceptor_.close(ignored);
  reload_timer_.Cancel();
  accept_timer_.Cancel();
  room_timer_.Cancel();
  drain_timer_.Cancel();
  for (const auto& session : std::exchange(sessions_, {})) session->Cut();
}

void Server::Core::ReportConnectionError(std::string_view peer, std::string_view reason) const {
  if (options.observers.on_connection_error) options.observers.on_connection_error(Concat(peer, ": ", reason));
}

void Server::Core::Warn(std::string_view text) const {
  if (options.observers.on_warning) options.observers.on_warning(text);
}

Server::Server(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Server::~Server() { core_->Shutdown(); }

StatusOr<std::unique_ptr<Server>> Server::Start(EventLoop& loop, ServerOptions options, Handler handler) {
  auto core = std::make_shared<Core>(loop, std::move(options), std::move(handler));
  HUYGENS_RETURN_IF_ERROR(core->Listen());
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

uint16_t Server::port() const { return core_->port; }
size_t Server::connections() const { return core_->connections(); }
size_t Server::bytes_in_flight() const { return *core_->bytes_in_flight; }

std::optional<Time> Server::certificate_expiry() const {
  const int64_t expiry = core_->certificate_expiry_ns;
  if (core_->options.tls.cert_file.empty()) return std::nullopt;
  return Time(Duration(expiry));
}

const std::string& Server::certificates() const { return core_->certificates(); }

void Server::EndConnections() { core_->EndConnections(); }
void Server::Drain(Duration grace, std::function<void(size_t cut)> done) { core_->Drain(grace, std::move(done)); }

}  // namespace huygens::net
