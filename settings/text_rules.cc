// The rules for texts that configuration_scalar.h declares.
#include <arpa/inet.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "base/text.h"
#include "settings/scalar.h"

namespace huygens::settings {

namespace {

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsLetterOrDigit(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }
bool HasSpaceOrControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

struct HostPort {
  std::string host;  // without brackets
  bool brackets = false;
};

std::optional<HostPort> SplitAddress(std::string_view text) {
  size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos) return std::nullopt;
  if (std::stoi(std::string(port)) > 65535) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  bool brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  return HostPort{std::string(host), brackets};
}

// Of an http or https URL; of anything else nothing.
std::string_view Authority(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
  url.remove_prefix(url.find("//") + 2);
  return url.substr(0, url.find_first_of("/?#"));
}

}  // namespace

std::string AnyText(std::string_view) { return ""; }

std::string NotEmpty(std::string_view text) { return text.empty() ? "must not be empty" : ""; }

std::string ListenAddress(std::string_view text) {
  std::optional<HostPort> address = SplitAddress(text);
  unsigned char bytes[16];
  bool good = address && (address->brackets ? inet_pton(AF_INET6, address->host.c_str(), bytes) == 1
                                            : address->host.empty() || address->host == "localhost" ||
                                                  inet_pton(AF_INET, address->host.c_str(), bytes) == 1);
  return good ? ""
              : "must be ADDRESS:PORT with a numeric address or localhost, such as 127.0.0.1:8888, [::1]:8888 or :8888";
}

bool IsLoopback(std::string_view text) {
  std::optional<HostPort> address = SplitAddress(text);
  return address && (address->host == "localhost" || (address->brackets && address->host == "::1") ||
                     (!address->brackets && address->host.starts_with("127.")));
}

std::string UrlPath(std::string_view text) {
  bool good = text.starts_with('/') && !HasSpaceOrControl(text) && text.find_first_of("?#\"") == text.npos;
  return good ? "" : "must be a path that begins with /";
}

std::string HttpUrl(std::string_view text) {
  const std::string_view authority = Authority(text);
  if (authority.empty() || HasSpaceOrControl(text)) return "must be a URL that begins with http:// or https://";
  return authority.find('@') == authority.npos ? ""
                                               : "must not hold a user or password, which would show in logs; use "
                                                 "bearerTokenFile, or username and passwordFile";
}

bool IsPlainHttpToOthers(std::string_view url) {
  const std::string_view authority = Authority(url);
  const size_t colon = authority.rfind(':');
  const bool port = colon != authority.npos && authority.find(']', colon) == authority.npos;
  const std::string address = Concat(authority, port ? "" : ":80");
  return url.starts_with("http://") && !(ListenAddress(address).empty() && IsLoopback(address));
}

std::string ObjectName(std::string_view text) {
  bool good = !text.empty() && text.size() <= 253 && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
              std::all_of(text.begin(), text.end(), [](char c) { return IsLowerOrDigit(c) || c == '-' || c == '.'; });
  return good ? "" : "must be the name of a Kubernetes object: lower-case letters, digits, - and .";
}

std::string QualifiedName(std::string_view text) {
  size_t slash = text.find('/');
  std::string_view name = slash == text.npos ? text : text.substr(slash + 1);
  bool good = !name.empty() && name.size() <= 63 && IsLetterOrDigit(name.front()) && IsLetterOrDigit(name.back()) &&
              std::all_of(name.begin(), name.end(),
                          [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '.' || c == '_'; });
  if (good && slash != text.npos) good = ObjectName(text.substr(0, slash)).empty();
  return good ? "" : "must be a qualified name such as cpu, nvidia.com/gpu or huygens.dev/cpu-model";
}

std::string LabelName(std::string_view text) {
  const bool good = !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
                    std::ranges::all_of(text, [](char c) { return IsLetterOrDigit(c) || c == '_'; });
  return good ? "" : "must be the name of a label: letters, digits and _";
}

std::string LabelMatcher(std::string_view text) {
  constexpr std::string_view kFault = R"(must be a matcher such as cluster="prod", with =, !=, =~ or !~)";
  const size_t operation = text.find_first_of("=!");
  if (operation == text.npos || !LabelName(text.substr(0, operation)).empty()) return std::string(kFault);
  text.remove_prefix(operation);
  const bool two = text.starts_with("=~") || text.starts_with("!=") || text.starts_with("!~");
  if (!two && text.front() != '=') return std::string(kFault);
  text.remove_prefix(two ? 2 : 1);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(kFault);
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\n') return std::string(kFault);
    if (text[i] != '\\') continue;
    ++i;  // what is escaped may be anything, but has to be there
    if (i == text.size()) return std::string(kFault);
  }
  return "";
}

std::string HeaderName(std::string_view text) {
  const bool good = !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsLetterOrDigit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
  if (!good) return "must be the name of a header, such as X-Scope-OrgID";
  const auto is = [text](std::string_view name) { return absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(name)); };
  if (is("authorization")) return "is set by bearerTokenFile, or by username and passwordFile";
  for (const std::string_view own : {"accept", "accept-encoding", "connection", "content-length", "content-type",
                                     "expect", "host", "transfer-encoding", "user-agent"}) {
    if (is(own)) return "is a header that huygens sets itself";
  }
  return "";
}

std::string HeaderValue(std::string_view text) {
  if (text.empty()) return "must not be empty";
  const bool good = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; });
  return good ? "" : "must be one line of text";
}

}  // namespace huygens::settings
