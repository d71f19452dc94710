#include "wire/list.h"

#include "json/reader.h"
#include "wire/object_meta.h"

namespace huygens::wire {

namespace {

// What is inside is for whoever decodes the item: here it is only passed over.
Status ReadItem(JsonReader& in, ListItem& item) {
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  const char* const begin = in.position();
  std::string version;
  const auto read_version = [&] { return in.Next() == JsonType::kString ? in.Read(version) : absl::OkStatus(); };
  HUYGENS_RETURN_IF_ERROR(in.Fields("metadata", [&] {
    return in.Next() == JsonType::kObject ? in.Fields("resourceVersion", read_version) : absl::OkStatus();
  }));
  item.text = {begin, static_cast<size_t>(in.position() - begin)};
  item.resource_version = ParseResourceVersion(version);
  return absl::OkStatus();
}

}  // namespace

StatusOr<ObjectList> DecodeList(std::string_view json) {
  bool has_items = false;
  auto list = DecodeObject<ObjectList>(json, [&](JsonReader& in, ObjectList& out) {
    const auto items = [&] {
      has_items = true;
      return ReadList(in, out.items, [&](ListItem& item) { return ReadItem(in, item); });
    };
    const auto metadata = [&] {
      return in.Fields("resourceVersion", out.resource_version, "continue", out.continue_token);
    };
    return in.Fields("items", items, "metadata", metadata);
  });
  if (list.ok() && !has_items) return Invalid("not a list: it has no items");
  return list;
}

}  // namespace huygens::wire
