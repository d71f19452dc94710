// The kinds of objects that rules can be for, and what of each they can change. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace huygens::rules {

enum class Shape : uint8_t { kPod, kNode, kController };

struct KnownKind {
  std::string_view kind;
  Shape shape = Shape::kPod;
  std::span<const std::string_view> groups;         // of its API; "" is the core
  std::span<const std::string_view> template_path;  // of a controller, from the object to the template of its pods
  bool template_changes = true;                     // once it is created
};

// Null: rules are not for this kind. Any group where `group` is "*".
const KnownKind* FindKind(std::string_view group, std::string_view kind);
std::vector<std::string_view> KindNames();

}  // namespace huygens::rules
