// huygens usage top: asks a running huygens which nodes are used most, and what still fits.
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/remote.h"
#include "json/document.h"
#include "net/client.h"
#include "reports/usage_report.h"

ABSL_FLAG(std::string, by, "", "resource to sort by: one of usage.resources; by default the first of them");
ABSL_FLAG(std::string, limit, "20", "how many nodes to print");
ABSL_FLAG(std::string, size, "", "a pod's size, such as cpu=2,memory=4Gi: says how many more of them fit where");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "usage";

// "cpu=2,memory=4Gi" as parts of a query, with an ampersand before each.
StatusOr<std::string> SizeQuery(std::string_view size) {
  std::string query;
  while (!size.empty()) {
    const size_t comma = size.find(',');
    const std::string_view part = size.substr(0, comma);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Invalid(Concat("--size is RESOURCE=QUANTITY,..., such as cpu=2,memory=4Gi, not ", part));
    }
    query +=
        Concat("&", net::PercentEncoded(part.substr(0, equals)), "=", net::PercentEncoded(part.substr(equals + 1)));
    size.remove_prefix(comma == std::string_view::npos ? size.size() : comma + 1);
  }
  return query;
}

// What the server says of a parameter, of the flag that it came from.
std::string AsFlags(std::string_view said, std::string_view size_query) {
  if (said.starts_with("by ") || said.starts_with("limit ")) return Concat("--", said);
  constexpr std::string_view kUnknown = "no parameter or resource is called ";
  if (said.starts_with(kUnknown)) {
    const std::string_view name = said.substr(kUnknown.size(), said.find(';') - kUnknown.size());
    return Concat("--size: no resource is called ", name, "; it is RESOURCE=QUANTITY,..., such as cpu=2,memory=4Gi");
  }
  return size_query.empty() ? std::string(said) : Concat("--size: ", said);
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() != 1 || arguments[0] != "top") return UsageError(kName, "it takes `top`; see --help");
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  const std::string limit = absl::GetFlag(FLAGS_limit);
  if (limit.find_first_not_of("0123456789") != std::string::npos || limit.find_first_not_of('0') == std::string::npos) {
    return UsageError(kName, Concat("--limit must be a number from 1, not \"", limit, "\""));
  }
  const std::string size = absl::GetFlag(FLAGS_size), by = absl::GetFlag(FLAGS_by);
  const auto size_query = SizeQuery(size);
  if (!size_query.ok()) return UsageError(kName, Message(size_query.status()));
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));

  const auto json = admin->Get(
      Concat("/debug/usage?limit=", limit, by.empty() ? "" : Concat("&by=", net::PercentEncoded(by)), *size_query));
  if (absl::IsInvalidArgument(json.status())) return UsageError(kName, AsFlags(Message(json.status()), *size_query));
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto top = DecodeJson<admin_api::UsageTopDocument>(*json);
  if (!top.ok()) return Failed(kName, Message(Annotate(top.status(), "answer of /debug/usage")));
  const std::string text = *format == OutputFormat::kJson ? *json : reports::UsageTopText(*top, size);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

constexpr std::string_view kFlags[] = {"by", "limit", "size", "admin_url", "token_file", "o"};

}  // namespace

const Command kUsageCommand = {
    "usage", "list the nodes that are used most, and what still fits",
    "Usage: huygens usage top [--by RESOURCE] [--limit N] [--size cpu=2,memory=4Gi] [--admin-url URL] "
    "[--token-file FILE] [-o table|json]\n\n"
    "Asks a running huygens for the nodes with the highest predicted weekly peak: what they use now, at that peak, and "
    "what their ceiling\n"
    "leaves (headroom; below 0: above the ceiling). With --size it also says how many more pods of that size, without "
    "history of their own,\n"
    "each node and all together would take by requests and by ceilings. `huygens explain node/NAME` shows one node by "
    "hour of the week.\n\n"
    "  huygens usage top --by memory --limit 5 --admin-url http://127.0.0.1:8889\n"
    "  huygens usage top --size cpu=2,memory=4Gi\n\n"
    "Exit codes: 0 listed, 1 the server could not be reached or refused, 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
