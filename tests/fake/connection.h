// The server's end of one HTTP/1.1 connection on a blocking socket: for a fake server that must be able to break every
// rule.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace huygens::fake {

struct HttpRequest {
  std::string method;
  std::string path;           // without the query
  std::string query;          // not decoded
  std::string authorization;  // header
  std::string tenant;         // header X-Scope-OrgID
  std::string body;
  // The decoded value of a query parameter; empty if it has none.
  std::string Query(std::string_view name) const;
};

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Nothing when the client is gone.
  std::optional<HttpRequest> Read();
  bool Write(std::string_view bytes);
  // Any thread: ends reads and writes at once; the client sees the connection close.
  void Cut();

 private:
  int socket_;
  std::string buffer_;
};

// A whole reply.
std::string ReplyBytes(int code, std::string_view content_type, std::string_view body,
                       std::string_view more_headers = "");
// Of a reply without a known length: head, then pieces, then the end.
std::string ChunkedHead(std::string_view content_type);
std::string Chunk(std::string_view bytes);

}  // namespace huygens::fake
