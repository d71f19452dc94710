// A JSON value that can be changed: what rules are applied to, and what they inject. Numbers keep the text they came
// with, members their order; "managedFields", which no rule looks at and which is most of many objects, stays the text
// it is. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::rules {

class Tree {
 public:
  enum class Kind : uint8_t { kNull, kPlain, kText, kObject, kList };
  using Member = std::pair<std::string, Tree>;

  // Fails on what is not exactly one JSON value, and on an object that has a key twice.
  static StatusOr<Tree> Parse(std::string_view json);
  static Tree Text(std::string_view text);
  // A number or a bool as JSON has it.
  static Tree Plain(std::string_view json);
  static Tree Object();
  static Tree List();

  Tree() = default;  // null

  Kind kind() const { return kind_; }
  bool IsNull() const { return kind_ == Kind::kNull; }
  // Of a text its content, of a number or bool its JSON; else empty.
  std::string_view text() const { return text_; }

  // Of an object; null where there is no such member, where it is null, or where this is no object.
  const Tree* Find(std::string_view key) const;
  Tree* Find(std::string_view key);
  // The text of a member; empty: it is no text, or not there.
  std::string_view TextOf(std::string_view key) const;
  // Sets a member of an object, at its end where it is not there yet.
  Tree& Set(std::string_view key, Tree value);
  bool Erase(std::string_view key);
  const std::vector<Member>& members() const { return members_; }

  // Of a list.
  const std::vector<Tree>& elements() const { return elements_; }
  std::vector<Tree>& elements() { return elements_; }

  void AppendTo(std::string& out) const;
  std::string Json() const;

  // The order of members is none; a member that is null counts as one that is not there.
  friend bool operator==(const Tree& a, const Tree& b);

 private:
  friend struct TreeReader;

  Kind kind_ = Kind::kNull;
  std::string text_;
  std::vector<Member> members_;
  std::vector<Tree> elements_;
};

// The operations of RFC 6902 that make `after` of `before`, as JSON; empty where the two are equal.
std::string JsonPatchBetween(const Tree& before, const Tree& after);

// A key as a part of a JSON pointer: "huygens.dev~1pool".
std::string PointerPart(std::string_view key);

}  // namespace huygens::rules
