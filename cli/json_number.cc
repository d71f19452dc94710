#include "cli/json_number.h"

#include <charconv>

namespace huygens::cli {

Status ReadNumber(wire::JsonReader& in, double& out) {
  if (in.SkipNull()) return absl::OkStatus();
  if (in.Next() != wire::JsonType::kNumber) return in.Unexpected("a number");
  std::string_view text = in.Skip();
  std::from_chars(text.data(), text.data() + text.size(), out);
  return absl::OkStatus();
}

}  // namespace huygens::cli
