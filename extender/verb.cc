#include "extender/verb.h"

#include "wire/json_reader.h"

namespace huygens::extender {

VerbAnswer Malformed(const Status& status) {
  return {.status = 400,
          .body = Concat("not an extender request: ", Message(status), "\n"),
          .content_type = "text/plain; charset=utf-8",
          .outcome = "malformed"};
}

bool IsJson(std::string_view body) { return wire::JsonReader::Open(body).ok(); }

}  // namespace huygens::extender
