// A JSON patch of RFC 6902, as an API server takes it from a mutating webhook. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace huygens::overcommit {

class JsonPatch {
 public:
  // Sets a member, whether it is there or not; what holds it must be there. `value` is JSON.
  void Add(std::string_view path, std::string_view value);
  // Empty where nothing was added.
  std::string Text() const { return operations_.empty() ? std::string() : operations_ + "]"; }

 private:
  std::string operations_;
};

// A key as a part of a path: "huygens.dev~1overcommit".
std::string PathPart(std::string_view key);

}  // namespace huygens::overcommit
