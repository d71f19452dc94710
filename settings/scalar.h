// A single value of the configuration as text: what kind it is, how it is printed, what may be written. One Scalar
// serves reading, printing and documentation alike, so that they cannot differ.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace huygens::settings {

// Judges a text: empty = good, else what is wrong with it ("must begin with /").
using Rule = std::string (*)(std::string_view text);

// Bound to one field; must not outlive it.
struct Scalar {
  std::string kind;  // for the documentation: "duration, 1s to 1h"
  std::string text;  // the present value as YAML; empty: there is none
  // Sets the field; returns what is wrong, and then the field stays. `quoted`: the file had quotes around it.
  std::function<std::string(std::string_view text, bool quoted)> set;
};

Scalar Text(std::string& value, std::string_view kind, Rule rule);
Scalar Flag(bool& value);
Scalar Integer(int64_t& value, int64_t least, int64_t most);
Scalar Number(double& value, double least, double most);
// "50%" or 0.5, from 0 to 1.
Scalar Share(double& value);
Scalar Share(int64_t& millionths);
// Above 0 and at most `most`.
Scalar Share(std::optional<int64_t>& millionths, int64_t most);
// As in kubelet's maps of strings: printed in quotes, and read with or without them.
Scalar InQuotes(Scalar scalar);
// Quantity text: 64Mi, 1G, 4096.
Scalar Bytes(int64_t& value, int64_t least, int64_t most);
Scalar Span(Duration& value, Duration least, Duration most);

// Of the header of the file, which is no part of the settings.
Scalar Exactly(std::string_view only);

// One of a few words; the field is set by position.
Scalar Choice(std::span<const std::string_view> words, size_t now, std::function<void(size_t)> assign);
template <typename Enum>
Scalar Choice(std::span<const std::string_view> words, Enum& value) {
  return Choice(words, static_cast<size_t>(value), [&value](size_t position) { value = static_cast<Enum>(position); });
}
// The same for a field that keeps the word itself, or is empty.
Scalar Word(std::span<const std::string_view> words, std::string& value);

// `text` as a YAML scalar, in quotes where it needs them.
std::string YamlText(std::string_view text);
std::string BytesText(int64_t bytes);

// Rules for texts.
std::string AnyText(std::string_view text);
std::string NotEmpty(std::string_view text);
std::string ListenAddress(std::string_view text);  // "127.0.0.1:8888", "[::1]:0", ":8888"
std::string UrlPath(std::string_view text);
std::string HttpUrl(std::string_view text);
std::string ObjectName(std::string_view text);     // DNS subdomain
std::string QualifiedName(std::string_view text);  // label key or resource name: "huygens.dev/cpu-model"
std::string LabelName(std::string_view text);      // of a series of Prometheus
std::string LabelMatcher(std::string_view text);   // PromQL: cluster="prod"
std::string HeaderName(std::string_view text);     // of HTTP, and not one that huygens sets itself
std::string HeaderValue(std::string_view text);

// Of an address that ListenAddress accepts.
bool IsLoopback(std::string_view address);
// Of a URL that HttpUrl accepts: whoever is on the way can read what is sent there.
bool IsPlainHttpToOthers(std::string_view url);

}  // namespace huygens::settings
