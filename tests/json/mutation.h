// One document, printed with one of its members changed: what a client of another make, or an attacker, may send.
#pragma once

#include <boost/json.hpp>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace huygens {

enum class Mutation {
  kNone,
  kMissing,
  kDoubled,
  kNull,
  kBool,
  kNumber,
  kFraction,
  kString,
  kEmptyString,
  kArray,
  kObject,
  kUpper,
  kLower
};
inline constexpr Mutation kMutations[] = {Mutation::kMissing, Mutation::kDoubled,     Mutation::kNull,
                                          Mutation::kBool,    Mutation::kNumber,      Mutation::kFraction,
                                          Mutation::kString,  Mutation::kEmptyString, Mutation::kArray,
                                          Mutation::kObject,  Mutation::kUpper,       Mutation::kLower};

class Mutator {
 public:
  explicit Mutator(std::string_view json) : document_(boost::json::parse({json.data(), json.size()})) {}

  // Calls `check` with the document changed at each member and array element in turn, in each way.
  void ForEach(const std::function<void(Mutation, const std::string&)>& check) {
    for (Mutation mutation : kMutations) {
      for (size_t target = 0;; ++target) {
        std::string text = Print(mutation, target);
        if (seen_ <= target) break;
        check(mutation, text);
      }
    }
  }

  // Every key that `is_field(parent key)` calls a field of a struct, rather than of a map, in another case.
  std::string InCase(Mutation mutation, const std::function<bool(std::string_view)>& is_field) {
    is_field_ = is_field;
    mutation_ = mutation;
    target_ = kEverywhere;
    std::string out;
    Append(document_, "", out);
    is_field_ = nullptr;
    return out;
  }

 private:
  static constexpr size_t kEverywhere = static_cast<size_t>(-1);

  std::string Print(Mutation mutation, size_t target) {
    mutation_ = mutation;
    target_ = target;
    seen_ = 0;
    std::string out;
    Append(document_, "", out);
    return out;
  }

  static std::string Quoted(std::string_view text) {
    return boost::json::serialize(
        boost::json::value(boost::json::string(boost::json::string_view(text.data(), text.size()))));
  }

  std::string Key(std::string_view key, bool changed) const {
    std::string out(key);
    for (char& c : out) {
      if (changed && mutation_ == Mutation::kUpper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      if (changed && mutation_ == Mutation::kLower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return Quoted(out);
  }

  // What stands where the value was; empty where nothing does.
  std::string Changed(const std::string& value) const {
    switch (mutation_) {
      case Mutation::kMissing:
        return "";
      case Mutation::kNull:
        return "null";
      case Mutation::kBool:
        return "true";
      case Mutation::kNumber:
        return "-7";
      case Mutation::kFraction:
        return "1.5e300";
      case Mutation::kString:
        return R"("te\u0078t")";
      case Mutation::kEmptyString:
        return R"("")";
      case Mutation::kArray:
        return R"([null,"x",{"name":[1]}])";
      case Mutation::kObject:
        return R"({"name":{"a":[]},"x":null})";
      default:
        return value;
    }
  }

  void Append(const boost::json::value& value, std::string_view parent, std::string& out) {
    if (const auto* array = value.if_array()) {
      out += '[';
      for (const auto& element : *array) AppendOne("", parent, element, out);
      Close(']', out);
    } else if (const auto* object = value.if_object()) {
      out += '{';
      for (const auto& member : *object)
        AppendOne({member.key().data(), member.key().size()}, parent, member.value(), out);
      Close('}', out);
    } else {
      out += boost::json::serialize(value);
    }
  }

  static void Close(char bracket, std::string& out) {
    if (out.back() == ',') out.pop_back();
    out += bracket;
  }

  void AppendOne(std::string_view key, std::string_view parent, const boost::json::value& value, std::string& out) {
    bool everywhere = target_ == kEverywhere;
    bool hit = everywhere ? !key.empty() && is_field_(parent) : seen_ == target_;
    ++seen_;
    std::string text;
    Append(value, key.empty() ? parent : key, text);
    if (hit) text = Changed(text);
    if (text.empty()) return;
    std::string one = key.empty() ? text : Key(key, hit) + ":" + text;
    out += one + ",";
    if (hit && mutation_ == Mutation::kDoubled) out += one + ",";
  }

  boost::json::value document_;
  Mutation mutation_ = Mutation::kNone;
  size_t target_ = 0;
  size_t seen_ = 0;
  std::function<bool(std::string_view)> is_field_;
};

}  // namespace huygens
