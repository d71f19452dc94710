#include "net/address.h"

#include <charconv>

namespace huygens::net {

namespace ip = boost::asio::ip;

StatusOr<ip::tcp::endpoint> ParseListenAddress(std::string_view address) {
  const auto refuse = [&](std::string_view why) { return Invalid(Concat("listen address \"", address, "\": ", why)); };
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return refuse("a port is missing (host:port)");
  std::string_view host = address.substr(0, colon);
  const std::string_view digits = address.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (fault != std::errc() || end != digits.data() + digits.size())
    return refuse("the port is not a number in 0..65535");
  if (host.empty()) return ip::tcp::endpoint(ip::address_v6::any(), port);
  if (host == "localhost") return ip::tcp::endpoint(ip::address_v4::loopback(), port);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(std::string(host), error);
  if (error || parsed.is_v6() != bracketed) {
    return refuse("the host must be an IPv4 address, an IPv6 address in brackets, localhost, or nothing");
  }
  return ip::tcp::endpoint(parsed, port);
}

bool IsLoopback(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

std::string ToText(const ip::tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? Concat("[", host, "]:", port) : Concat(host, ":", port);
}

}  // namespace huygens::net
