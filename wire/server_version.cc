#include "wire/server_version.h"

#include <charconv>

#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadNumber(JsonReader& in, int& number) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ec == std::errc()) return absl::OkStatus();
  return Invalid(Concat("\"", text, "\" does not begin with a number"));
}

}  // namespace

StatusOr<ServerVersion> DecodeServerVersion(std::string_view json) {
  auto version = DecodeObject<ServerVersion>(json, [](JsonReader& in, ServerVersion& out) {
    return in.Fields(
        "major", [&] { return ReadNumber(in, out.major); }, "minor", [&] { return ReadNumber(in, out.minor); });
  });
  if (version.ok() && version->major <= 0) return Invalid("it has no major and minor of a version of Kubernetes");
  return version;
}

}  // namespace huygens::wire
