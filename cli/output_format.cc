#include "cli/output_format.h"

#include <string>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, o, "table", "what to print: table or json");
ABSL_FLAG(std::string, admin_url, "http://127.0.0.1:8889", "server.adminAddress of the huygens to ask");
ABSL_FLAG(std::string, token_file, "", "file with a bearer token, for a huygens on another machine");

namespace huygens::cli {

StatusOr<OutputFormat> OutputFlag() {
  const std::string text = absl::GetFlag(FLAGS_o);
  if (text == "table") return OutputFormat::kTable;
  if (text == "json") return OutputFormat::kJson;
  return Invalid(Concat("-o is table or json, not ", text));
}

StatusOr<Remote> OpenAdmin() {
  return Remote::Open(
      {.url = absl::GetFlag(FLAGS_admin_url), .flag = "--admin-url", .token_file = absl::GetFlag(FLAGS_token_file)});
}

}  // namespace huygens::cli
