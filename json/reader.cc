#include "json/reader.h"

#include <bit>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "json/token_parser.h"

namespace huygens {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Sixteen bytes at a time where the processor can (every x86-64): most of what is read is text between quotes. Decoding
// 5000 names takes 73 us so, 86 with eight bytes at a time.
const char* FindQuoteOrBackslash(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    auto hits = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash))));
    if (hits != 0) return at + std::countr_zero(hits);
  }
#endif
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

std::string_view View(const char* begin, const char* end) { return {begin, static_cast<size_t>(end - begin)}; }

std::string_view TypeName(JsonType type) {
  switch (type) {
    case JsonType::kNull:
      return "null";
    case JsonType::kBool:
      return "a bool";
    case JsonType::kNumber:
      return "a number";
    case JsonType::kString:
      return "a string";
    case JsonType::kObject:
      return "an object";
    case JsonType::kArray:
      return "an array";
    case JsonType::kNothing:
      break;
  }
  return "nothing";
}

// `quoted` includes its quotes.
std::string Unescape(std::string_view quoted) {
  JsonError error;
  boost::json::value value = boost::json::parse({quoted.data(), quoted.size()}, error);
  const boost::json::string* text = error ? nullptr : value.if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool JsonKey::Is(std::string_view field) const {
  if (text.size() != field.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != field[i] && Lower(text[i]) != Lower(field[i])) return false;
  }
  return true;
}

Status JsonReader::Check(std::string_view text, size_t max_depth) {
  return TokenParser<AcceptTokens>(max_depth).Write(text, false);
}

StatusOr<JsonReader> JsonReader::Open(std::string_view text) {
  HUYGENS_RETURN_IF_ERROR(Check(text));
  JsonReader reader(text);
  reader.SkipSpace();
  return reader;
}

JsonType JsonReader::Next() const {
  if (at_ == end_) return JsonType::kNothing;
  switch (*at_) {
    case 'n':
      return JsonType::kNull;
    case 't':
    case 'f':
      return JsonType::kBool;
    case '"':
      return JsonType::kString;
    case '{':
      return JsonType::kObject;
    case '[':
      return JsonType::kArray;
    default:
      return JsonType::kNumber;
  }
}

inline std::string_view JsonReader::TakeString(bool& escaped) {
  const char* begin = at_ + 1;
  const char* quote = FindQuoteOrBackslash(begin, end_);
  escaped = quote != end_ && *quote == '\\';
  while (end_ - quote > 1 && *quote == '\\') quote = FindQuoteOrBackslash(quote + 2, end_);
  at_ = quote == end_ ? end_ : quote + 1;
  return View(begin, quote);
}

std::string_view JsonReader::Skip() {
  const char* begin = at_;
  size_t depth = 0;
  bool escaped = false;
  while (at_ != end_) {
    switch (*at_) {
      case '"':
        TakeString(escaped);
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0) return View(begin, at_);  // the bracket around a scalar
        --depth;
        ++at_;
        break;
      default:
        if (depth == 0 && (*at_ == ',' || IsSpace(*at_))) return View(begin, at_);
        ++at_;
        continue;  // within a number or word, or between values
    }
    if (depth == 0) break;
  }
  return View(begin, at_);
}

bool JsonReader::SkipNull() {
  if (Next() != JsonType::kNull) return false;
  Skip();
  return true;
}

Status JsonReader::Unexpected(std::string_view what) const {
  return Invalid(Concat("expected ", what, ", found ", TypeName(Next())));
}

Status JsonReader::Read(std::string_view& out, OwnedTexts& owned) {
  if (Next() != JsonType::kString) return SkipNull() ? absl::OkStatus() : Unexpected("a string");
  const char* begin = at_;
  bool escaped = false;
  out = TakeString(escaped);
  if (escaped) out = owned.Keep(Unescape(View(begin, at_)));
  return absl::OkStatus();
}

Status JsonReader::Read(std::vector<std::string_view>& out, OwnedTexts& owned) {
  HUYGENS_ASSIGN_OR_RETURN(bool entered, Enter('['));
  if (!entered) return absl::OkStatus();
  for (size_t index = 0; Advance(index == 0); ++index) {
    if (at_ != end_ && *at_ == '"') {  // not through Read: a Status for each of thousands of names shows
      const char* begin = at_;
      bool escaped = false;
      std::string_view text = TakeString(escaped);
      out.push_back(escaped ? owned.Keep(Unescape(View(begin, at_))) : text);
    } else if (Status status = Read(out.emplace_back(), owned); !status.ok()) {
      return AtElement(status, index);
    }
  }
  return absl::OkStatus();
}

Status JsonReader::Read(std::string& out) {
  if (Next() != JsonType::kString) return SkipNull() ? absl::OkStatus() : Unexpected("a string");
  const char* begin = at_;
  bool escaped = false;
  std::string_view text = TakeString(escaped);
  if (escaped) {
    out = Unescape(View(begin, at_));
  } else {
    out.assign(text);
  }
  return absl::OkStatus();
}

Status JsonReader::Read(InternedString& out) {
  OwnedTexts owned;
  std::string_view text = out;
  HUYGENS_RETURN_IF_ERROR(Read(text, owned));
  out = text;
  return absl::OkStatus();
}

Status JsonReader::Read(bool& out) {
  if (SkipNull()) return absl::OkStatus();
  if (Next() != JsonType::kBool) return Unexpected("true or false");
  out = Skip() == "true";
  return absl::OkStatus();
}

Status JsonReader::Read(int64_t& out) {
  if (SkipNull()) return absl::OkStatus();
  if (Next() != JsonType::kNumber) return Unexpected("a whole number");
  std::string_view text = Skip();
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return Invalid("number out of range");
  if (error != std::errc() || end != text.data() + text.size())
    return Invalid("expected a whole number, found a fraction or exponent");
  out = value;
  return absl::OkStatus();
}

Status JsonReader::Read(int32_t& out) {
  int64_t value = out;
  HUYGENS_RETURN_IF_ERROR(Read(value));
  if (value != static_cast<int32_t>(value)) return Invalid("number out of range");
  out = static_cast<int32_t>(value);
  return absl::OkStatus();
}

Status JsonReader::Read(double& out) {
  if (SkipNull()) return absl::OkStatus();
  if (Next() != JsonType::kNumber) return Unexpected("a number");
  const std::string_view text = Skip();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() ? absl::OkStatus() : Invalid("number out of range");
}

StatusOr<bool> JsonReader::Enter(char open) {
  if (SkipNull()) return false;
  if (at_ == end_ || *at_ != open) return Unexpected(open == '{' ? "an object" : "an array");
  ++at_;
  return true;
}

void JsonReader::TakeKey(JsonKey& key, std::string& storage) {
  const char* begin = at_;
  key.text = TakeString(key.escaped);
  if (key.escaped) key.text = storage = Unescape(View(begin, at_));
  SkipSpace();
  if (at_ != end_) ++at_;  // the colon
  SkipSpace();
}

namespace {
bool HasPlace(std::string_view message) { return message.starts_with('.') || message.starts_with('['); }
}  // namespace

Status AtMember(const Status& status, std::string_view key) {
  std::string_view message = Message(status);
  return Status(status.code(), Concat(".", CutText(key, 100), HasPlace(message) ? "" : ": ", message));
}

Status AtElement(const Status& status, size_t index) {
  std::string_view message = Message(status);
  return Status(status.code(), Concat("[", std::to_string(index), "]", HasPlace(message) ? "" : ": ", message));
}

Status ReadTime(JsonReader& in, std::optional<Time>& out) {
  out.reset();
  if (in.SkipNull()) return absl::OkStatus();
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  HUYGENS_ASSIGN_OR_RETURN(out, ParseRfc3339(text));
  return absl::OkStatus();
}

Status WithPlace(const Status& status) {
  std::string_view message = Message(status);
  return message.starts_with('.') ? Status(status.code(), ToAbsl(message.substr(1))) : status;
}

}  // namespace huygens
