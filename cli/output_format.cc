#include "cli/output_format.h"

#include <string>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, o, "table", "what to print: table or json");
ABSL_FLAG(std::string, admin_url, "http://127.0.0.1:8889", "server.adminAddress of the huygens to ask");

namespace huygens::cli {

StatusOr<OutputFormat> OutputFlag() {
  const std::string text = absl::GetFlag(FLAGS_o);
  if (text == "table") return OutputFormat::kTable;
  if (text == "json") return OutputFormat::kJson;
  return Invalid(Concat("-o is table or json, not ", text));
}

}  // namespace huygens::cli
