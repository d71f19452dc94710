#include "rules/tree.h"

#include <algorithm>

#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::rules {

namespace {

constexpr std::string_view kPassedOver = "managedFields";

Status CheckKeys(const std::vector<Tree::Member>& members) {
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const auto& [key, value] : members) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return absl::OkStatus();
  return Invalid(Concat("the key \"", CutText(*twice, 64), "\" is there twice"));
}

size_t CountOfMembers(const Tree& object) {
  return static_cast<size_t>(
      std::ranges::count_if(object.members(), [](const Tree::Member& member) { return !member.second.IsNull(); }));
}

}  // namespace

struct TreeReader {
  static Status Read(JsonReader& in, Tree& out) {
    switch (in.Next()) {
      case JsonType::kObject:
        return ReadObject(in, out);
      case JsonType::kArray:
        out = Tree::List();
        return in.Elements([&](size_t) { return Read(in, out.elements_.emplace_back()); });
      case JsonType::kString: {
        out.kind_ = Tree::Kind::kText;
        return in.Read(out.text_);
      }
      case JsonType::kNull:
        out = Tree();
        in.Skip();
        return absl::OkStatus();
      default:
        out = Tree::Plain(in.Skip());
        return absl::OkStatus();
    }
  }

  static Status ReadObject(JsonReader& in, Tree& out) {
    out = Tree::Object();
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
      const bool pass = key.text == kPassedOver;
      Tree& value = out.members_.emplace_back(std::string(key.text), Tree()).second;
      if (!pass) return Read(in, value);
      value = Tree::Plain(in.Skip());
      return absl::OkStatus();
    }));
    return CheckKeys(out.members_);
  }
};

StatusOr<Tree> Tree::Parse(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  Tree tree;
  if (Status status = TreeReader::Read(in, tree); !status.ok()) return WithPlace(status);
  return tree;
}

Tree Tree::Text(std::string_view text) {
  Tree tree;
  tree.kind_ = Kind::kText;
  tree.text_ = text;
  return tree;
}

Tree Tree::Plain(std::string_view json) {
  Tree tree;
  tree.kind_ = Kind::kPlain;
  tree.text_ = json;
  return tree;
}

Tree Tree::Object() {
  Tree tree;
  tree.kind_ = Kind::kObject;
  return tree;
}

Tree Tree::List() {
  Tree tree;
  tree.kind_ = Kind::kList;
  return tree;
}

const Tree* Tree::Find(std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return value.IsNull() ? nullptr : &value;
  }
  return nullptr;
}

Tree* Tree::Find(std::string_view key) { return const_cast<Tree*>(std::as_const(*this).Find(key)); }

std::string_view Tree::TextOf(std::string_view key) const {
  const Tree* member = Find(key);
  return member != nullptr && member->kind_ == Kind::kText ? member->text() : std::string_view();
}

Tree& Tree::Set(std::string_view key, Tree value) {
  const auto at = std::ranges::find(members_, key, &Member::first);
  if (at == members_.end()) return members_.emplace_back(std::string(key), std::move(value)).second;
  at->second = std::move(value);
  return at->second;
}

bool Tree::Erase(std::string_view key) {
  return std::erase_if(members_, [&](const Member& member) { return member.first == key; }) > 0;
}

void Tree::AppendTo(std::string& out) const {
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kPlain:
      out += text_;
      return;
    case Kind::kText:
      AppendJsonString(out, text_);
      return;
    case Kind::kObject:
      out += '{';
      for (const auto& [key, value] : members_) {
        if (out.back() != '{') out += ',';
        AppendJsonString(out, key);
        out += ':';
        value.AppendTo(out);
      }
      out += '}';
      return;
    case Kind::kList:
      out += '[';
      for (const Tree& each : elements_) {
        if (out.back() != '[') out += ',';
        each.AppendTo(out);
      }
      out += ']';
  }
}

std::string Tree::Json() const {
  std::string out;
  AppendTo(out);
  return out;
}

bool operator==(const Tree& a, const Tree& b) {
  if (a.kind_ != b.kind_ || a.text_ != b.text_ || a.elements_ != b.elements_) return false;
  if (CountOfMembers(a) != CountOfMembers(b)) return false;
  return std::ranges::all_of(a.members_, [&](const Tree::Member& member) {
    if (member.second.IsNull()) return true;
    const Tree* other = b.Find(member.first);
    return other != nullptr && *other == member.second;
  });
}

}  // namespace huygens::rules
