// External facts as attributes of zones (docs/real-capacity.md): which sources `huygens controller` asks, and what it
// makes of the answers. One section of the configuration, with its defaults. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "real_capacity/rules.h"

namespace huygens::settings {

enum class RealCapacityMode : uint8_t { kOff, kReport, kEnforce };
enum class ZoneObjects : uint8_t { kCrane, kCommunity, kBoth };
enum class WithoutListMap : uint8_t { kRefuse, kCarryOver };

struct FactQuery {
  std::string name;
  std::string query;                       // PromQL, or
  std::string url;                         // of a document
  std::string bearer_token_file, ca_file;  // of that
  std::string node_label = "node";
  std::string zone_label = "zone";
};

struct FactAttribute {
  std::string name;
  std::string formula;
  real_capacity::Unit unit = real_capacity::Unit::kCpu;
  int64_t step = 0;  // these four in thousandths
  std::optional<int64_t> max_rise, max_fall;
  std::optional<int64_t> at_most;
  int64_t vanished_after = 5;
};

}  // namespace huygens::settings
