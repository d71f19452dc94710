#include "tests/fake/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "base/text.h"

namespace huygens::fake {
namespace {

bool SameHeader(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if ((line[i] | 0x20) != (name[i] | 0x20)) return false;
  }
  return true;
}

std::string_view Reason(int code) { return code < 300 ? "OK" : "Error"; }

}  // namespace

std::string HttpRequest::Query(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string value;
    for (size_t i = equals + 1; i < pair.size(); ++i) {
      unsigned byte = 0;
      if (pair[i] == '%' && std::from_chars(pair.data() + i + 1, pair.data() + i + 3, byte, 16).ec == std::errc()) {
        value += static_cast<char>(byte);
        i += 2;
      } else {
        value += pair[i];
      }
    }
    return value;
  }
  return "";
}

Connection::~Connection() { ::close(socket_); }

void Connection::Cut() { ::shutdown(socket_, SHUT_RDWR); }

bool Connection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::optional<HttpRequest> Connection::Read() {
  size_t need = 0;  // bytes of the whole request, once its head is there
  HttpRequest request;
  while (true) {
    const size_t head = buffer_.find("\r\n\r\n");
    if (need == 0 && head != std::string::npos) {
      size_t length = 0;
      const std::string text = buffer_.substr(0, head + 2);
      std::string_view lines = text;
      bool first = true;
      while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find("\r\n"));
        lines.remove_prefix(line.size() + 2);
        if (first) {
          const size_t space = line.find(' ');
          request.method = line.substr(0, space);
          const std::string_view target = line.substr(space + 1, line.rfind(' ') - space - 1);
          const size_t question = target.find('?');
          request.path = target.substr(0, question);
          if (question != std::string_view::npos) request.query = target.substr(question + 1);
          first = false;
        } else if (SameHeader(line, "content-length")) {
          const std::string_view value = line.substr(line.find_first_not_of(' ', 15));
          std::from_chars(value.data(), value.data() + value.size(), length);
        } else if (SameHeader(line, "authorization")) {
          request.authorization = line.substr(line.find_first_not_of(' ', 14));
        } else if (SameHeader(line, "x-scope-orgid")) {
          request.tenant = line.substr(line.find_first_not_of(' ', 14));
        }
      }
      need = head + 4 + length;
    }
    if (need != 0 && buffer_.size() >= need) {
      const size_t begin = buffer_.find("\r\n\r\n") + 4;
      request.body = buffer_.substr(begin, need - begin);
      buffer_.erase(0, need);
      return request;
    }
    char piece[1 << 16];
    const ssize_t received = ::recv(socket_, piece, sizeof(piece), 0);
    if (received <= 0) return std::nullopt;
    buffer_.append(piece, static_cast<size_t>(received));
  }
}

std::string ReplyBytes(int code, std::string_view content_type, std::string_view body, std::string_view more_headers) {
  return Concat("HTTP/1.1 ", std::to_string(code), " ", Reason(code), "\r\nContent-Type: ", content_type,
                "\r\nContent-Length: ", std::to_string(body.size()), "\r\n", more_headers, "\r\n", body);
}

std::string ChunkedHead(std::string_view content_type) {
  return Concat("HTTP/1.1 200 OK\r\nContent-Type: ", content_type, "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

std::string Chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof(size), "%zx\r\n", bytes.size());
  return Concat(size, bytes, "\r\n");
}

}  // namespace huygens::fake
