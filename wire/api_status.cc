#include "wire/api_status.h"

#include "json/reader.h"

namespace huygens::wire {

StatusOr<ApiStatus> DecodeApiStatus(std::string_view json) {
  std::string kind;
  auto status = DecodeObject<ApiStatus>(json, [&](JsonReader& in, ApiStatus& out) {
    std::string said;
    const auto seconds = [&] { return in.SkipNull() ? absl::OkStatus() : in.Read(out.retry_after_seconds.emplace()); };
    const auto details = [&] { return in.Fields("retryAfterSeconds", seconds); };
    HUYGENS_RETURN_IF_ERROR(in.Fields("kind", kind, "code", out.code, "reason", out.reason, "message", out.message,
                                      "status", said, "details", details));
    out.success = said == "Success";
    return absl::OkStatus();
  });
  if (status.ok() && kind != "Status") return Invalid(Concat("kind is \"", kind, "\", not Status"));
  return status;
}

}  // namespace huygens::wire
