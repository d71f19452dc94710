// Configuration files as texts, for tests.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "settings/yaml.h"

namespace huygens::settings {

inline constexpr const char* kHead = "apiVersion: config.huygens.dev/v1alpha1\nkind: ExtenderConfiguration\n";

inline StatusOr<Configuration> Parse(const std::string& text) { return ParseConfiguration(text, "f.yaml"); }

inline Configuration Good(const std::string& body) {
  auto parsed = Parse(kHead + body);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *parsed : Configuration{};
}

// The lines of the error.
inline std::vector<std::string> Faults(const std::string& text) {
  auto parsed = Parse(text);
  if (parsed.ok()) return {};
  EXPECT_TRUE(absl::IsInvalidArgument(parsed.status()));
  std::istringstream in{std::string(Message(parsed.status()))};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}
inline std::vector<std::string> FaultsIn(const std::string& body) { return Faults(kHead + body); }

}  // namespace huygens::settings
