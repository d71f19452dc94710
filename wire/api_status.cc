#include "wire/api_status.h"

#include "json/reader.h"

namespace huygens::wire {

StatusOr<ApiStatus> DecodeApiStatus(std::string_view json) {
  std::string kind;
  auto status = DecodeObject<ApiStatus>(json, [&](JsonReader& in, ApiStatus& out) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("kind")) return in.Read(kind);
      if (key.Is("code")) return in.Read(out.code);
      if (key.Is("reason")) return in.Read(out.reason);
      if (key.Is("message")) return in.Read(out.message);
      if (key.Is("status")) {
        std::string text;
        HUYGENS_RETURN_IF_ERROR(in.Read(text));
        out.success = text == "Success";
      }
      if (!key.Is("details")) return absl::OkStatus();
      return in.Fields("retryAfterSeconds",
                       [&] { return in.SkipNull() ? absl::OkStatus() : in.Read(out.retry_after_seconds.emplace()); });
    });
  });
  if (status.ok() && kind != "Status") return Invalid(Concat("kind is \"", kind, "\", not Status"));
  return status;
}

}  // namespace huygens::wire
