// Plain structs as JSON objects, by one list of their fields that writing and reading both follow:
//
//   struct Holder {
//     std::string name, amount;
//     std::optional<int64_t> pods;
//     static void Describe(auto& self, auto& fields) {
//       fields.Always("name", self.name);
//       fields.Always("amount", self.amount);
//       fields.IfSet("pods", self.pods);
//     }
//   };
//   EncodeJson(Holder{"a", "4"});                       // {"name":"a","amount":"4"}
//   DecodeJson<Holder>(R"({"name":"a","amount":"4"})");
//
// A field is a text, a bool, an int64_t, a double, a Time (RFC 3339), another such struct, an optional of these, a
// vector of these (an array), or a vector of pairs of a text and one of these (an object of any keys). IfSet leaves out
// what is not set: an empty text, list or optional, false, 0. Fields are written in the order of the list. Others, the
// last of a list, stands for every key that the list does not name.
//
// What is read may be of another version of the program: keys that the list does not have are passed over, fields that
// the text does not have stay as the struct begins, and so do those that are null. A value of another type is an error
// that names its place: "groups[2].name: expected a string, found a number". Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens {

class JsonFieldWriter {
 public:
  explicit JsonFieldWriter(std::string& out) : out_(out) {}

  template <typename T>
  void Always(std::string_view name, const T& value) {
    AppendJsonKey(out_, name);
    Append(out_, value);
  }
  template <typename T>
  void IfSet(std::string_view name, const T& value) {
    if (IsSet(value)) Always(name, value);
  }
  template <typename T>
  void Others(const std::vector<std::pair<std::string, T>>& members) {
    for (const auto& [key, value] : members) AppendMember(out_, key, value);
  }

  template <typename T>
  static void Append(std::string& out, const T& object) {
    out += '{';
    JsonFieldWriter fields(out);
    T::Describe(object, fields);
    out += '}';
  }
  static void Append(std::string& out, const std::string& text) { AppendJsonString(out, text); }
  static void Append(std::string& out, bool value) { out += value ? "true" : "false"; }
  static void Append(std::string& out, int64_t value) { AppendJsonInt(out, value); }
  static void Append(std::string& out, double value) { AppendJsonDouble(out, value); }
  static void Append(std::string& out, Time time) { AppendJsonString(out, FormatRfc3339Micro(time)); }
  template <typename T>
  static void Append(std::string& out, const std::optional<T>& value) {
    if (!value) {
      out += "null";
    } else {
      Append(out, *value);
    }
  }
  template <typename T>
  static void Append(std::string& out, const std::vector<T>& list) {
    out += '[';
    for (const T& each : list) {
      if (out.back() != '[') out += ',';
      Append(out, each);
    }
    out += ']';
  }
  template <typename T>
  static void Append(std::string& out, const std::vector<std::pair<std::string, T>>& members) {
    out += '{';
    for (const auto& [key, value] : members) AppendMember(out, key, value);
    out += '}';
  }

 private:
  template <typename T>
  static void AppendMember(std::string& out, std::string_view key, const T& value) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, key);
    out += ':';
    Append(out, value);
  }
  template <typename T>
  static bool IsSet(const T& value) {
    if constexpr (requires { value.empty(); }) {
      return !value.empty();
    } else {
      return static_cast<bool>(value);
    }
  }

  std::string& out_;
};

// The field of one key of an object.
class JsonFieldReader {
 public:
  JsonFieldReader(JsonReader& in, std::string_view key) : in_(in), key_(key) {}

  template <typename T>
  void Always(std::string_view name, T& value) {
    if (found_ || name != key_) return;
    found_ = true;
    status_ = Read(in_, value);
  }
  template <typename T>
  void IfSet(std::string_view name, T& value) {
    Always(name, value);
  }

  template <typename T>
  void Others(std::vector<std::pair<std::string, T>>& members) {
    if (!found_) status_ = Read(in_, members.emplace_back(key_, T()).second);
  }

  static Status Read(JsonReader& in, Time& time) {
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    HUYGENS_ASSIGN_OR_RETURN(time, ParseRfc3339(text));
    return absl::OkStatus();
  }
  template <typename T>
  static Status Read(JsonReader& in, T& value) {
    if constexpr (requires { in.Read(value); }) {
      return in.Read(value);
    } else {
      return in.Members([&](const JsonKey& key) {
        JsonFieldReader fields(in, key.text);
        T::Describe(value, fields);
        return std::move(fields.status_);
      });
    }
  }
  template <typename T>
  static Status Read(JsonReader& in, std::optional<T>& value) {
    if (in.SkipNull()) return absl::OkStatus();
    value = T();  // not emplace(): clang finds no default constructor of a struct that is nested in an unfinished one
    return Read(in, *value);
  }
  template <typename T>
  static Status Read(JsonReader& in, std::vector<T>& list) {
    return ReadList(in, list, [&](T& each) { return Read(in, each); });
  }
  template <typename T>
  static Status Read(JsonReader& in, std::vector<std::pair<std::string, T>>& members) {
    return in.Members([&](const JsonKey& key) { return Read(in, members.emplace_back(key.text, T()).second); });
  }

 private:
  JsonReader& in_;
  const std::string_view key_;
  Status status_;
  bool found_ = false;
};

template <typename T>
void AppendJson(std::string& out, const T& object) {
  JsonFieldWriter::Append(out, object);
}

template <typename T>
std::string EncodeJson(const T& object) {
  std::string out;
  AppendJson(out, object);
  return out;
}

// Up to the items of the last field that is written, a list that is empty yet: for who writes them one by one, and "]}"
// behind them.
template <typename T>
std::string EncodeJsonUpToItems(const T& object) {
  std::string out = EncodeJson(object);
  out.resize(out.size() - 2);
  return out;
}

template <typename T>
StatusOr<T> DecodeJson(std::string_view json) {
  return DecodeObject<T>(json, [](JsonReader& in, T& object) { return JsonFieldReader::Read(in, object); });
}

}  // namespace huygens
