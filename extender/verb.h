// What a verb answers: one HTTP response, and one word for the metric label `outcome`.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::extender {

struct VerbAnswer {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";
  std::string_view outcome = "ok";  // ok | rejected | error | malformed | overloaded
  std::string why;                  // of error, malformed and overloaded, for the log
};

// For a body that no answer of the verb can hold an error for: 400 and a text.
VerbAnswer Malformed(const Status& status);
// For what is no call of a verb at all; 503: for what there is no room for now.
VerbAnswer Refusal(int status, std::string_view why);
// Whether the body is JSON at all: if so the verb's own Error field tells what is wrong with it, else Malformed does.
bool IsJson(std::string_view body);

}  // namespace huygens::extender
