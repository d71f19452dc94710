#include "extender/verb.h"

#include "json/reader.h"

namespace huygens::extender {

VerbAnswer Malformed(const Status& status) {
  return Refusal(400, Concat("not an extender request: ", Message(status)));
}

VerbAnswer Refusal(int status, std::string_view why) {
  return {.status = status,
          .body = Concat(why, "\n"),
          .content_type = "text/plain; charset=utf-8",
          .outcome = status == 503 ? "overloaded" : "malformed",
          .why = std::string(why)};
}

bool IsJson(std::string_view body) { return JsonReader::Open(body).ok(); }

}  // namespace huygens::extender
