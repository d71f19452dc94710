// "host:port" as a socket address. For the files of net/ only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::net {

// Numeric hosts, "[::1]" for IPv6, "localhost", and nothing for all interfaces (IPv6 and IPv4 at once). Other names are
// refused: what a server listens on must not depend on a name server.
StatusOr<boost::asio::ip::tcp::endpoint> ParseListenAddress(std::string_view address);

// Whether no other machine can have this address, IPv4 inside IPv6 included.
bool IsLoopback(const boost::asio::ip::address& address);

std::string ToText(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace huygens::net
