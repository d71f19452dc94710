// A connected socket, in the clear or under TLS, behind one interface: what reads and writes requests is compiled once.
// For net/ only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace huygens::net {

class Stream {
 public:
  using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

  // `context` may be null: then there is no TLS.
  Stream(boost::asio::ip::tcp::socket socket, TlsContext context)
      : socket_(std::move(socket)), context_(std::move(context)) {
    if (context_ != nullptr) tls_.emplace(socket_, *context_);
  }
  // The TLS engine refers to the socket beside it.
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool encrypted() const { return tls_.has_value(); }
  auto& tls() { return *tls_; }
  boost::asio::ip::tcp::socket& socket() { return socket_; }

  template <typename Buffer, typename Done>
  void ReadSome(const Buffer& buffer, Done&& done) {
    if (tls_) {
      tls_->async_read_some(buffer, std::forward<Done>(done));
    } else {
      socket_.async_read_some(buffer, std::forward<Done>(done));
    }
  }

  template <typename Buffers, typename Done>
  void Write(const Buffers& buffers, Done&& done) {
    if (tls_) {
      boost::asio::async_write(*tls_, buffers, std::forward<Done>(done));
    } else {
      boost::asio::async_write(socket_, buffers, std::forward<Done>(done));
    }
  }

 private:
  boost::asio::ip::tcp::socket socket_;
  TlsContext context_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
};

}  // namespace huygens::net
