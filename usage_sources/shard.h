// A part of all names, by how they end, so that a question about too many pods can be asked in parts whose answers do
// not overlap: at first all names, then as many parts as answers ask for. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huygens::usage_sources {

class Shard {
 public:
  // All names.
  Shard();

  bool all() const { return tail_.empty() && first_ == 0 && last_ == kSymbols; }
  // PromQL that selects series by `label`, such as `pod=~".*[0-4]"`; empty: all.
  std::string Matcher(std::string_view label) const;
  // Parts that make up this one and do not overlap; empty where it is but one name.
  std::vector<Shard> Split() const;

 private:
  // What may stand before the tail: nothing, each of the letters of a Kubernetes name, anything else.
  static constexpr std::string_view kLetters = "-.0123456789abcdefghijklmnopqrstuvwxyz";
  static constexpr size_t kNothing = 0, kOther = kLetters.size() + 1, kSymbols = kLetters.size() + 2;

  std::string tail_;     // how all of them end
  size_t first_, last_;  // symbols before that: from `first_` to before `last_`
};

}  // namespace huygens::usage_sources
