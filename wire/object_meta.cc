#include "wire/object_meta.h"

#include <charconv>

#include "json/reader.h"

namespace huygens::wire {

StatusOr<ObjectMeta> DecodeObjectMeta(std::string_view json) {
  return DecodeObject<ObjectMeta>(json, [](JsonReader& in, ObjectMeta& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("apiVersion")) return in.Read(out.api_version);
      if (part.Is("kind")) return in.Read(out.kind);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Fields("name", out.name, "namespace", out.namespace_name, "uid", out.uid, "resourceVersion",
                       out.resource_version);
    });
  });
}

uint64_t ParseResourceVersion(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace huygens::wire
