#include "wire/object_meta.h"

#include <charconv>

#include "wire/json_reader.h"

namespace huygens::wire {

StatusOr<ObjectMeta> DecodeObjectMeta(std::string_view json) {
  return DecodeObject<ObjectMeta>(json, [](JsonReader& in, ObjectMeta& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("apiVersion")) return in.Read(out.api_version);
      if (part.Is("kind")) return in.Read(out.kind);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (key.Is("name")) return in.Read(out.name);
        if (key.Is("namespace")) return in.Read(out.namespace_name);
        if (key.Is("uid")) return in.Read(out.uid);
        if (key.Is("resourceVersion")) return in.Read(out.resource_version);
        return absl::OkStatus();
      });
    });
  });
}

uint64_t ParseResourceVersion(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace huygens::wire
