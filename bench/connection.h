// One keep-alive HTTP/1.1 connection with blocking reads and writes, as lean as a client can be: what is measured is
// the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace huygens::bench {

class Connection {
 public:
  explicit Connection(uint16_t port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // POSTs and returns the body of the answer, valid until the next call. Ends the program when the connection breaks or
  // the status is not 200.
  std::string_view Post(std::string_view path, std::string_view body);

 private:
  int socket_;
  std::string head_;
  std::string buffer_;
};

}  // namespace huygens::bench
