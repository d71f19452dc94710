// Keeps texts for as long as views into them are needed: strings of a JSON text whose escapes had to be undone. Never
// moves one. Moves, does not copy; costs nothing while empty. Not thread-safe.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <utility>

namespace huygens {

class OwnedTexts {
 public:
  OwnedTexts() = default;
  OwnedTexts(OwnedTexts&&) = default;
  OwnedTexts& operator=(OwnedTexts&&) = default;

  std::string_view Keep(std::string text) { return texts_.emplace_front(std::move(text)); }

 private:
  std::forward_list<std::string> texts_;
};

}  // namespace huygens
