// Reads one JSON text from front to back without building a tree: what is not asked for is passed over, and any value
// can be taken as the very bytes it came in. Open() lets Boost.JSON check the whole text once (syntax, UTF-8, depth up
// to kMaxDepth); the walk after that only looks for where values end.
//
// Rules of Go's encoding/json, which wrote most of what is read here: field names match in any case, keys of maps
// exactly (the caller chooses by JsonKey::Is or JsonKey::text); of repeated fields the last wins, repeated objects
// merge; null leaves a value as it was. Errors name the place: "spec.containers[2].name: expected a string, found a
// number". Views point into the text, which must outlive them. Not thread-safe; one reader per text.
//
// Code of our own, since of a pod as kube-scheduler sends it (2.8 KB) a few fields take 2.8 us so, 4.0 us from a tree of
// Boost.JSON in a monotonic buffer, and of 5000 names 63 and 152 us. simdjson On Demand takes 0.8 and 35 us, the copy
// with padding that it wants included, but does not check what it passes over: text that is no JSON would be accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/interned_string.h"
#include "base/status.h"
#include "base/time.h"
#include "json/owned_texts.h"

namespace huygens {

enum class JsonType : uint8_t { kNull, kBool, kNumber, kString, kObject, kArray, kNothing };

// Of a member: exact for maps, any ASCII case for fields of a struct.
struct JsonKey {
  std::string_view text;
  bool escaped = false;  // then `text` holds only until the next key
  bool Is(std::string_view field) const;
};

class JsonReader {
 public:
  static constexpr size_t kMaxDepth = 64;

  // Refuses what is not exactly one JSON value with space around it.
  static StatusOr<JsonReader> Open(std::string_view text);
  // What Open does before the walk.
  static Status Check(std::string_view text, size_t max_depth = kMaxDepth);
  // The value that an unchecked text begins with; anything if it begins with none.
  static std::string_view First(std::string_view text) { return JsonReader(text).Skip(); }

  JsonType Next() const;
  // Passes over the next value and returns its text.
  std::string_view Skip();
  // Passes over the next value if it is null.
  bool SkipNull();

  // Each takes the next value, which must be of that type or null (then `out` stays as it was).
  Status Read(std::string& out);
  Status Read(InternedString& out);
  Status Read(bool& out);
  Status Read(int64_t& out);
  Status Read(int32_t& out);
  Status Read(double& out);
  // A view into the text, or where the string has escapes, into `owned`.
  Status Read(std::string_view& out, OwnedTexts& owned);
  // An array of strings that way, appended to `out`: the hot path of a request with thousands of node names.
  Status Read(std::vector<std::string_view>& out, OwnedTexts& owned);

  // Calls `visit(JsonKey) -> Status` for each member of the next value, an object or null. A member that `visit` does
  // not read is skipped.
  template <typename Visit>
  Status Members(Visit&& visit) {
    return Walk('{', [&](const JsonKey& key, size_t) { return visit(key); });
  }
  // Reads the fields of the next value, an object or null, that are named, each with where its value goes: a variable
  // that Read knows, or a function that reads it and returns a Status.
  //   in.Fields("name", out.name, "labels", [&] { return ReadLabels(in, out); })
  template <typename... NamesAndTargets>
  Status Fields(NamesAndTargets&&... fields) {
    return Members([&](const JsonKey& key) { return ReadField(key, fields...); });
  }
  // Calls `visit(index) -> Status` for each element of the next value, an array or null.
  template <typename Visit>
  Status Elements(Visit&& visit) {
    return Walk('[', [&](const JsonKey&, size_t index) { return visit(index); });
  }

  // Where the next value begins, or behind the one just read.
  const char* position() const { return at_; }
  // Bytes from there to the end of the text.
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }

  // "expected WHAT, found TYPE" for the next value.
  Status Unexpected(std::string_view what) const;

 private:
  explicit JsonReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  template <typename Visit>
  Status Walk(char open, Visit&& visit);

  Status ReadField(const JsonKey&) { return absl::OkStatus(); }
  template <typename Target, typename... Others>
  Status ReadField(const JsonKey& key, std::string_view name, Target& target, Others&... others) {
    if (!key.Is(name)) return ReadField(key, others...);
    if constexpr (std::is_invocable_v<Target&>) {
      return target();
    } else {
      return Read(target);
    }
  }

  void SkipSpace() {  // the text is valid, so nothing else below 0x20 occurs here
    while (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ') ++at_;
  }
  // The string at at_, without its quotes; says whether it has escapes.
  std::string_view TakeString(bool& escaped);
  // Steps into a container: false if null was passed over instead.
  StatusOr<bool> Enter(char open);
  // At the next member or element, or behind the closing bracket: false.
  bool Advance(bool first) {
    SkipSpace();
    if (at_ == end_) return false;
    if (*at_ == '}' || *at_ == ']') {
      ++at_;
      return false;
    }
    if (!first) {  // a comma
      ++at_;
      SkipSpace();
    }
    return at_ != end_;
  }
  // From a member's key to its value.
  void TakeKey(JsonKey& key, std::string& storage);

  const char* at_;
  const char* end_;
};

// `status` with ".key" or "[index]" in front of the place that deeper levels have put there.
Status AtMember(const Status& status, std::string_view key);
Status AtElement(const Status& status, size_t index);
// Takes away the dot that such a place begins with.
Status WithPlace(const Status& status);

template <typename Visit>
Status JsonReader::Walk(char open, Visit&& visit) {
  HUYGENS_ASSIGN_OR_RETURN(bool entered, Enter(open));
  if (!entered) return absl::OkStatus();
  JsonKey key;
  std::string storage;
  for (size_t index = 0; Advance(index == 0); ++index) {
    if (open == '{') TakeKey(key, storage);
    const char* before = at_;
    if (Status status = visit(static_cast<const JsonKey&>(key), index); !status.ok()) {
      return open == '{' ? AtMember(status, key.text) : AtElement(status, index);
    }
    if (at_ == before) Skip();
  }
  return absl::OkStatus();
}

// `json`, which must be an object, read by `read(JsonReader&, Object&) -> Status`.
template <typename Object, typename Read>
StatusOr<Object> DecodeObject(std::string_view json, Read&& read) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  Object object;
  if (Status status = read(in, object); !status.ok()) return WithPlace(status);
  return object;
}

// A time of RFC 3339 replaces what `out` held; null leaves none.
Status ReadTime(JsonReader& in, std::optional<Time>& out);

// The next value, a list or null, replaces what `out` held; `read_one(Item&) -> Status` reads each element.
template <typename Item, typename ReadOne>
Status ReadList(JsonReader& in, std::vector<Item>& out, ReadOne&& read_one) {
  out.clear();
  return in.Elements([&](size_t) { return read_one(out.emplace_back()); });
}

}  // namespace huygens
