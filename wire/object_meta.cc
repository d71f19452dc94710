#include "wire/object_meta.h"

#include <charconv>

#include "json/reader.h"

namespace huygens::wire {

StatusOr<ObjectMeta> DecodeObjectMeta(std::string_view json) {
  return DecodeObject<ObjectMeta>(json, [](JsonReader& in, ObjectMeta& out) {
    const auto metadata = [&] {
      return in.Fields("name", out.name, "namespace", out.namespace_name, "uid", out.uid, "resourceVersion",
                       out.resource_version);
    };
    return in.Fields("apiVersion", out.api_version, "kind", out.kind, "metadata", metadata);
  });
}

uint64_t ParseResourceVersion(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace huygens::wire
