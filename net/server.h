// HTTP/1.1 server on an EventLoop: keep-alive, exact Content-Length, bounded in every direction, optionally with
// (mutual) TLS.
//
// Everything runs on the loop's thread; Start, Drain and the destructor are called there too, or before the loop runs.
// Several servers, on one loop or on several, are independent. What kube-scheduler needs and why: Go's client keeps
// idle connections for 90 s and does not repeat a POST on a connection that the server closed (net/http,
// Transport.shouldRetryRequest), so the idle time-out must be longer; it stops reading after one JSON value, so bytes
// after it would cost the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"

namespace huygens::net {

// All views stay valid until the request is answered and every copy of its Respond is gone.
struct Request {
  std::string_view method;         // "POST"
  std::string_view path;           // "/filter", not percent-decoded
  std::string_view query;          // what follows '?', without it
  std::string_view body;           // complete
  std::string_view client_name;    // common name or DNS name of the verified client certificate; empty without one
  std::string_view peer;           // "127.0.0.1:41234"
  std::string_view authorization;  // the header of that name
  std::string_view accept;         // likewise
  std::string_view remote_user;    // X-Remote-User: of a front proxy, believed only if client_name is that of one
  bool from_loopback = false;      // whether `peer` is an address of this machine that no other can have
};

// The next piece of an answer that is sent in pieces: call it once, from any thread, and with an empty text at the end.
// When the last copy is destroyed without a call, the connection is cut, for the answer cannot be finished.
class NextPiece {
 public:
  void operator()(std::string piece) const;

  struct Exchange;
  explicit NextPiece(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

 private:
  std::shared_ptr<Exchange> exchange_;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string header_lines = {};  // further ones, each with its line end ("Retry-After: 1\r\n")
  // Set: `body` is but the beginning. Called on the loop's thread for the next piece each time the client has taken
  // what there was, so that one piece at a time is in memory; destroyed when the answer is taken or the connection
  // gone.
  std::function<void(NextPiece)> more = nullptr;
};

// The one answer to one request: call it once, inside the handler or later, from any thread (off the loop the answer is
// posted to it). Further calls, and calls after the connection is gone, do nothing. When the last copy is destroyed
// without a call, the client gets 500.
class Respond {
 public:
  void operator()(Response response) const;

  struct Exchange;
  explicit Respond(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

 private:
  std::shared_ptr<Exchange> exchange_;
};

using Handler = std::function<void(const Request&, Respond)>;

// What became of one request that reached the handler; the views are valid during the call only.
struct RequestRecord {
  std::string_view method;
  std::string_view path;
  std::string_view client_name;
  int status = 0;
  size_t bytes_in = 0;   // header and body
  size_t bytes_out = 0;  // header and body
  Duration duration{};   // from its first byte received to the last byte of the answer handed to the kernel
};

// A request that the server answered itself, before the handler saw it.
struct RefusedRequest {
  std::string_view path;  // empty: its first line was not read
  int status = 0;
  std::string_view peer;
  std::string_view reason;
  size_t bytes_in = 0;  // header and body, so far as they were read
  Duration duration{};  // since its first byte
};

struct TlsOptions {
  std::string cert_file;       // PEM, server certificate first, then its chain; empty: plain HTTP
  std::string key_file;        // PEM
  std::string client_ca_file;  // PEM; when set, a client certificate from one of these authorities is required
  // Common or DNS names that may connect; empty: everyone whom client_ca_file vouches for.
  std::vector<std::string> allowed_clients;
  bool allow_any_client = false;  // else without client_ca_file only on loopback addresses
  // How often the files are looked at; a change is used by the connections that come after it. A broken new file
  // changes nothing.
  Duration reload_interval = std::chrono::seconds(5);
};

// Observers run on the loop's thread and must not block; none is required.
struct ServerObservers {
  std::function<void(const RequestRecord&)> on_request;
  // The fault of one peer: refused handshake, malformed HTTP, too slow. Name the peer; may be many: count, or log at a
  // limited rate.
  std::function<void(std::string_view)> on_connection_error;
  // Two of these faults again, for who counts them: malformed, too large or too slow; and a handshake ("PEER: why").
  std::function<void(const RefusedRequest&)> on_refused;
  std::function<void(std::string_view)> on_handshake_failed;
  // A fault of ours: new certificate unusable (the old one stays), certificate expired, accept failing, a handler
  // threw.
  std::function<void(std::string_view)> on_warning;
  // News without fault: certificate replaced.
  std::function<void(std::string_view)> on_notice;
};

struct ServerOptions {
  std::string address;  // "127.0.0.1:8888", "[::1]:0", ":8888" for all interfaces; port 0 takes a free one
  TlsOptions tls;
  bool allow_plain_http = false;      // else plain HTTP is served on loopback addresses only
  size_t max_header_bytes = 8 << 10;  // at most 64 KiB
  size_t max_body_bytes = 16 << 20;
  // Bodies of more than 64 KiB that are read or worked on, and answers that are not taken yet, of all connections: a
  // request that would go beyond is refused with 503. Shorter ones always pass, and an answer is never refused.
  size_t max_bytes_in_flight = 256 << 20;
  // Beyond this a new connection takes the place of the one that has been idle longest, of those that never asked
  // anything first; if none is idle it waits for a slow one, and the next answer ends its connection.
  size_t max_connections = 1024;
  // A connection whose request has been arriving, or whose answer has not been taken, for so long gives way, too, before
  // those that were answered: else as many slow clients as there are places would keep everybody out for read_timeout.
  // Nothing of a request that has not arrived is done.
  Duration slow_after = std::chrono::seconds(2);
  // They give way at once. Not where requests change anything.
  bool unfinished_give_way = false;
  Duration idle_timeout = std::chrono::seconds(180);
  // The same for a connection that has not asked anything yet; absent: no other. Go's client keeps connections in
  // reserve that it never used, and does not repeat a POST that fails on one.
  std::optional<Duration> first_request_timeout = std::nullopt;
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration read_timeout = std::chrono::seconds(30);   // from a request's first byte to its last; then 408
  Duration write_timeout = std::chrono::seconds(30);  // for one answer
  ServerObservers observers;
};

class Server {
 public:
  // Errors: InvalidArgument for an address that cannot be read, plain HTTP where it is not allowed, or a certificate,
  // key or CA file that is missing, malformed or does not match (the message names the file); Unavailable when the
  // address cannot be bound. An expired certificate is a warning, not an error: its replacement is picked up without a
  // restart, a refused start would only hide the cause.
  static StatusOr<std::unique_ptr<Server>> Start(EventLoop& loop, ServerOptions options, Handler handler);
  // Cuts what is left of it at once.
  ~Server();

  uint16_t port() const;
  size_t connections() const;
  // What max_bytes_in_flight is compared with. Any thread.
  size_t bytes_in_flight() const;
  // End of validity of the certificate in use; nothing for plain HTTP. Any thread.
  std::optional<Time> certificate_expiry() const;
  // What it shows to clients, as PEM, the server's own first; empty for plain HTTP. The loop's thread.
  const std::string& certificates() const;

  // From now on each answer says `Connection: close` and ends its connection; new ones are accepted all the same. What
  // comes before Drain, so that clients go elsewhere without an error.
  void EndConnections();
  // Stops accepting, closes idle connections, answers what is under way with `Connection: close`, and calls `done` when
  // the last connection is gone, or cuts the rest after `grace` and calls it then, with how many that were.
  void Drain(Duration grace, std::function<void(size_t cut)> done);

 private:
  class Core;
  friend class Session;
  explicit Server(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace huygens::net
