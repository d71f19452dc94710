#include "bench/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace huygens::bench {

namespace {
[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}
}  // namespace

Connection::Connection(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Die("connect");
  int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  buffer_.resize(1 << 20);
}

Connection::~Connection() { close(socket_); }

std::string_view Connection::Post(std::string_view path, std::string_view body) {
  head_ = Concat("POST ", path, " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ",
                 std::to_string(body.size()), "\r\n\r\n");
  iovec parts[2] = {{head_.data(), head_.size()}, {const_cast<char*>(body.data()), body.size()}};
  size_t left = head_.size() + body.size();
  for (iovec* part = parts; left > 0;) {
    ssize_t sent = writev(socket_, part, static_cast<int>(parts + 2 - part));
    if (sent <= 0) Die("write");
    left -= static_cast<size_t>(sent);
    for (auto n = static_cast<size_t>(sent); n > 0;) {
      size_t taken = n < part->iov_len ? n : part->iov_len;
      part->iov_base = static_cast<char*>(part->iov_base) + taken;
      part->iov_len -= taken;
      n -= taken;
      if (part->iov_len == 0) ++part;
    }
  }
  size_t have = 0;
  while (true) {
    if (have == buffer_.size()) buffer_.resize(2 * buffer_.size());
    ssize_t got = read(socket_, buffer_.data() + have, buffer_.size() - have);
    if (got <= 0) Die("read");
    have += static_cast<size_t>(got);
    std::string_view seen(buffer_.data(), have);
    size_t end = seen.substr(0, 1024).find("\r\n\r\n");
    if (end == std::string_view::npos) continue;
    if (!seen.starts_with("HTTP/1.1 200")) Die("the answer is not 200");
    size_t at = seen.find("Content-Length: ") + 16;
    size_t length = 0;
    std::from_chars(seen.data() + at, seen.data() + end, length);
    if (have >= end + 4 + length) return seen.substr(end + 4, length);
  }
}

}  // namespace huygens::bench
