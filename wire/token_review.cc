#include "wire/token_review.h"

#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadUser(JsonReader& in, TokenOwner& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("username")) return in.Read(out.username);
    if (key.Is("uid")) return in.Read(out.uid);
    if (key.Is("groups")) return ReadList(in, out.groups, [&](std::string& group) { return in.Read(group); });
    if (key.Is("extra") && in.Next() == JsonType::kObject) out.extra = in.Skip();
    return absl::OkStatus();
  });
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
    return in.Members([&](const JsonKey& part) -> Status {
      if (part.Is("kind")) return in.Read(kind);
      if (!part.Is("status")) return absl::OkStatus();
      return in.Fields("authenticated", out.authenticated, "error", out.error, "user",
                       [&] { return ReadUser(in, out); });
    });
  });
  if (owner.ok() && kind != "TokenReview") return Invalid(Concat("kind is \"", kind, "\", not TokenReview"));
  return owner;
}

void AppendPathAccessReview(std::string& out, const TokenOwner& owner, std::string_view path, std::string_view verb) {
  out += R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":)";
  AppendJsonString(out, owner.username);
  if (!owner.uid.empty()) AppendJsonField(out, "uid", owner.uid);
  if (!owner.groups.empty()) {
    out += R"(,"groups":[)";
    for (const std::string& group : owner.groups) {
      if (&group != &owner.groups.front()) out += ',';
      AppendJsonString(out, group);
    }
    out += ']';
  }
  if (!owner.extra.empty()) out += Concat(R"(,"extra":)", owner.extra);
  out += R"(,"nonResourceAttributes":{)";
  AppendJsonField(out, "path", path);
  AppendJsonField(out, "verb", verb);
  out += "}}}";
}

}  // namespace huygens::wire
