#include "rule_reports/api_call.h"

#include "base/text.h"
#include "kube/api_call.h"

namespace huygens::rule_reports {

StatusOr<std::string> GetObject(const ApiCall& call, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, call("GET", path, "", kJsonType));
  if (kube::Succeeded(reply)) return std::move(reply.body);
  if (reply.code == 404) return NotFound(kube::ReplyText(reply));
  return Unavailable(Concat("GET ", path, ": ", kube::ExplainReply(reply)));
}

}  // namespace huygens::rule_reports
