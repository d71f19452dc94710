// Blocking HTTP(S) client for threads that may wait: reflectors, binders, pollers, the command line. Keeps its
// connection alive between calls.
//
// One Client belongs to one thread; only Cancel may be called from others. Redirects are not followed, a proxy is used
// only when asked for. No message of an error holds a token, a key or a query string. The code of an error says what
// the caller may conclude:
//
//   Unavailable        nothing was sent: name not found, connection refused or timed out, handshake cut. Trying again
//                      is safe.
//   Unauthenticated    TLS: the server's certificate was not accepted, or ours was refused. Nothing was processed;
//                      someone must repair something.
//   DeadlineExceeded   it was sent, and no full reply came in time: the outcome is unknown.
//   Unknown            it was sent, perhaps in part, and the connection broke before the reply was complete: the
//                      outcome is unknown.
//   ResourceExhausted  the reply is larger than max_reply_bytes; the server has processed the request.
//   Cancelled          Cancel was called; if the request had been sent, its outcome is unknown.
//   InvalidArgument, FailedPrecondition   options or files are not usable; nothing was sent.
//
// Any HTTP status is a reply, not an error. A request with a body is never sent twice; one without (GET, DELETE) is
// sent again when the server closed the kept-alive connection under it.
#pragma once

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

namespace huygens::net {

struct ClientOptions {
  std::string base_url;  // "https://10.0.0.1:6443" or with a path prefix; no user or password in it
  // PEM as a file or as data (data wins). Without a CA the system's authorities are trusted, with one only it.
  std::string ca_file, ca_data;
  std::string cert_file, cert_data;
  std::string key_file, key_data;
  std::string bearer_token;
  std::string
      bearer_token_file;      // re-read when it changes, as projected service account tokens do; wins over bearer_token
  std::string username;       // basic authentication, instead of a token
  std::string password_file;  // likewise re-read
  bool insecure_skip_tls_verify = false;
  std::string server_name;  // expected in the server's certificate instead of the URL's host
  Duration connect_timeout = std::chrono::seconds(10);
  std::string user_agent = "huygens/" HUYGENS_VERSION;
  bool use_environment_proxy = false;  // HTTPS_PROXY, NO_PROXY and the like
  bool accept_gzip = false;            // replies may come compressed; the observer and the limit below see them plain
  size_t max_reply_bytes = size_t{256} << 20;
};

struct HttpReply {
  int code = 0;
  std::string body;
  std::string content_type;
  std::optional<Duration> retry_after;
  std::vector<std::string> warnings;  // texts of its Warning headers, in order: what API servers want people to read
  int64_t transferred = 0;            // bytes of the body as they came, compressed where they were
};

using Headers = std::vector<std::pair<std::string, std::string>>;

class Client {
 public:
  // Reads no file and opens no connection yet.
  static StatusOr<std::unique_ptr<Client>> Create(ClientOptions options);
  ~Client();

  // One request, one complete reply. `path_and_query` starts with '/'. `timeout` bounds the whole exchange.
  StatusOr<HttpReply> Call(std::string_view method, std::string_view path_and_query, std::string_view body,
                           const Headers& headers, Duration timeout);

  // Called on the calling thread; must not throw.
  struct StreamObserver {
    // The reply's code, content_type and retry_after, before the first byte of its body. False ends the stream.
    std::function<bool(const HttpReply& head)> on_status;
    // A piece of the body, cut anywhere. False ends the stream.
    std::function<bool(std::string_view piece)> on_bytes;
  };
  // As Call, but the body goes to the observer, and only that: max_reply_bytes bounds it all the same. An observer that
  // wants no more ends it with the reply as it was by then.
  StatusOr<HttpReply> Call(std::string_view method, std::string_view path_and_query, std::string_view body,
                           const Headers& headers, Duration timeout, const StreamObserver& observer);
  // GETs a reply without a natural end (WATCH). Returns OK when the server ended it properly or the observer said so,
  // DeadlineExceeded when nothing came for `idle_timeout`, else as above.
  Status Stream(std::string_view path_and_query, const Headers& headers, const StreamObserver& observer,
                Duration idle_timeout);

  // Ends a call that is blocked now, within milliseconds, and every later one at once. For good. Any thread.
  void Cancel();

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// `text` as a value in a query or in a form. Pure; any thread.
std::string PercentEncoded(std::string_view text);

}  // namespace huygens::net
