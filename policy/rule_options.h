// The options that a check or a term has of its own: a struct of fields with their defaults, which names each of them
// once. The configuration reads and prints them under `options`, and `huygens config defaults` and the reference show
// them, by that alone:
//
//   struct QuarantineOptions final : RuleOptions {
//     std::string label = "huygens.dev/quarantine";
//     void Describe(OptionVisitor& options) override { options.Text("label", label, "of nodes to stay away from"); }
//   };
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace huygens::policy {

// Each call is one field: its name, as fields are named in YAML (staleAfter), where it is kept, what it may be, and what
// it means in half a sentence.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void Flag(std::string_view name, bool& value, std::string_view comment) = 0;
  virtual void Integer(std::string_view name, int64_t& value, int64_t least, int64_t most,
                       std::string_view comment) = 0;
  virtual void Number(std::string_view name, double& value, double least, double most, std::string_view comment) = 0;
  // From 0 to 1, or in percent.
  virtual void Share(std::string_view name, double& value, std::string_view comment) = 0;
  virtual void Span(std::string_view name, Duration& value, Duration least, Duration most,
                    std::string_view comment) = 0;
  virtual void Text(std::string_view name, std::string& value, std::string_view comment) = 0;
};

struct RuleOptions {
  virtual ~RuleOptions() = default;
  virtual void Describe(OptionVisitor& options) = 0;
};

}  // namespace huygens::policy
