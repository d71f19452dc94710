#include "wire/access_review.h"

#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadUser(JsonReader& in, TokenOwner& out) {
  const auto extra = [&] {
    if (in.Next() == JsonType::kObject) out.extra = in.Skip();
    return absl::OkStatus();
  };
  const auto groups = [&] { return ReadList(in, out.groups, [&](std::string& group) { return in.Read(group); }); };
  return in.Fields("username", out.username, "uid", out.uid, "groups", groups, "extra", extra);
}

void AppendUser(std::string& out, std::string_view user, std::string_view uid, const std::vector<std::string>& groups) {
  AppendJsonField(out, "user", user);
  if (!uid.empty()) AppendJsonField(out, "uid", uid);
  if (groups.empty()) return;
  AppendJsonKey(out, "groups");
  out += '[';
  for (const std::string& group : groups) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, group);
  }
  out += ']';
}

}  // namespace

void AppendTokenReview(std::string& out, std::string_view token) {
  out += R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":)";
  AppendJsonString(out, token);
  out += "}}";
}

StatusOr<TokenOwner> DecodeTokenReview(std::string_view json) {
  std::string kind;
  auto owner = DecodeObject<TokenOwner>(json, [&](JsonReader& in, TokenOwner& out) {
    const auto user = [&] { return ReadUser(in, out); };
    const auto status = [&] { return in.Fields("authenticated", out.authenticated, "error", out.error, "user", user); };
    return in.Fields("kind", kind, "status", status);
  });
  if (owner.ok() && kind != "TokenReview") return Invalid(Concat("kind is \"", kind, "\", not TokenReview"));
  return owner;
}

std::string AccessReviewText(const AccessQuestion& question) {
  const bool self = question.service_account.empty();
  std::string text = Concat(R"({"apiVersion":"authorization.k8s.io/v1","kind":")", self ? "Self" : "",
                            R"(SubjectAccessReview","spec":{"resourceAttributes":{)");
  AppendJsonField(text, "verb", question.verb);
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
    AppendUser(text, Concat("system:serviceaccount:", space, ":", question.service_account.substr(slash + 1)), "",
               {"system:authenticated", "system:serviceaccounts", Concat("system:serviceaccounts:", space)});
  }
  return text + "}}";
}

void AppendPathAccessReview(std::string& out, const TokenOwner& owner, std::string_view path, std::string_view verb) {
  out += R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{)";
  AppendUser(out, owner.username, owner.uid, owner.groups);
  if (!owner.extra.empty()) out += Concat(R"(,"extra":)", owner.extra);
  out += R"(,"nonResourceAttributes":{)";
  AppendJsonField(out, "path", path);
  AppendJsonField(out, "verb", verb);
  out += "}}}";
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
