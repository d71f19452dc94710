// Checks a JSON text, as a whole or piece by piece as it arrives, and hands its tokens to a Handler: Boost.JSON's parser,
// which calls on_key, on_string and so on as it goes and keeps nothing itself. For who reads more than fits in memory,
// and for JsonReader, which has a text checked before it walks it. One parser, one text; one thread.
#pragma once

#include <boost/json/basic_parser_impl.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/text.h"

namespace huygens {

using JsonError = boost::json::error_code;

// What a Handler is derived from: takes every token. A Handler hides the functions whose tokens it looks at; one that
// returns Stop ends the parser.
struct AcceptTokens {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  using Text = boost::json::string_view;

  bool on_document_begin(JsonError&) { return true; }
  bool on_document_end(JsonError&) { return true; }
  bool on_object_begin(JsonError&) { return true; }
  bool on_object_end(std::size_t, JsonError&) { return true; }
  bool on_array_begin(JsonError&) { return true; }
  bool on_array_end(std::size_t, JsonError&) { return true; }
  bool on_key_part(Text, std::size_t, JsonError&) { return true; }
  bool on_key(Text, std::size_t, JsonError&) { return true; }
  bool on_string_part(Text, std::size_t, JsonError&) { return true; }
  bool on_string(Text, std::size_t, JsonError&) { return true; }
  bool on_number_part(Text, JsonError&) { return true; }
  bool on_int64(std::int64_t, Text, JsonError&) { return true; }
  bool on_uint64(std::uint64_t, Text, JsonError&) { return true; }
  bool on_double(double, Text, JsonError&) { return true; }
  bool on_bool(bool, JsonError&) { return true; }
  bool on_null(JsonError&) { return true; }
  bool on_comment_part(Text, JsonError&) { return true; }
  bool on_comment(Text, JsonError&) { return true; }

 protected:
  // Ends the parser: which error it is, nobody sees.
  static bool Stop(JsonError& error) {
    error = boost::json::make_error_code(boost::json::error::exception);
    return false;
  }
};

template <typename Handler>
class TokenParser {
 public:
  template <typename... Args>
  explicit TokenParser(size_t max_depth, Args&&... args) : parser_(Options(max_depth), std::forward<Args>(args)...) {}

  // The next piece, cut anywhere; with `more` another one will follow. Fails on what is not exactly one JSON value with
  // space around it, and where the handler ended it; then what is written after that is of no use.
  Status Write(std::string_view piece, bool more) {
    JsonError error;
    size_t used = parser_.done() ? 0 : parser_.write_some(more, piece.data(), piece.size(), error);
    while (!error && used < piece.size() && IsSpace(piece[used])) ++used;
    seen_ += used;
    if (error) return Invalid(Concat("not JSON: ", error.message(), " at byte ", std::to_string(seen_)));
    if (used == piece.size()) return absl::OkStatus();
    return Invalid(Concat("not JSON: more text after the value at byte ", std::to_string(seen_)));
  }
  Handler& handler() { return parser_.handler(); }

 private:
  static boost::json::parse_options Options(size_t max_depth) {
    boost::json::parse_options options;
    options.max_depth = max_depth;
    return options;
  }
  static bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  boost::json::basic_parser<Handler> parser_;
  size_t seen_ = 0;
};

}  // namespace huygens
