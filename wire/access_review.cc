#include "wire/access_review.h"

#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {

std::string AccessReviewText(const AccessQuestion& question) {
  const bool self = question.service_account.empty();
  std::string text = Concat(R"({"apiVersion":"authorization.k8s.io/v1","kind":")", self ? "Self" : "",
                            R"(SubjectAccessReview","spec":{"resourceAttributes":{)");
  AppendJsonKey(text, "verb");
  AppendJsonString(text, question.verb);
  const auto field = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) AppendJsonField(text, name, value);
  };
  field("group", question.group);
  field("resource", question.resource);
  field("subresource", question.subresource);
  field("namespace", question.namespace_name);
  field("name", question.name);
  text += '}';
  if (!self) {
    const size_t slash = question.service_account.find('/');
    const std::string_view space = question.service_account.substr(0, slash);
    AppendJsonField(text, "user",
                    Concat("system:serviceaccount:", space, ":", question.service_account.substr(slash + 1)));
    text += R"(,"groups":["system:authenticated","system:serviceaccounts",)";
    AppendJsonString(text, Concat("system:serviceaccounts:", space));
    text += ']';
  }
  return text + "}}";
}

StatusOr<bool> DecodeAccessReview(std::string_view json) {
  struct Review {
    bool answered = false, allowed = false;
  };
  const auto review = DecodeObject<Review>(json, [](JsonReader& in, Review& out) {
    const auto read_allowed = [&] {
      out.answered = true;
      return in.Read(out.allowed);
    };
    return in.Fields("status", [&] { return in.Fields("allowed", read_allowed); });
  });
  if (!review.ok()) return review.status();
  if (!review->answered) return Invalid("no status.allowed in it: not the answer to an access review");
  return review->allowed;
}

}  // namespace huygens::wire
