#include "wire/list.h"

#include "wire/json_reader.h"

namespace huygens::wire {

StatusOr<ObjectList> DecodeList(std::string_view json) {
  bool has_items = false;
  auto list = DecodeObject<ObjectList>(json, [&](JsonReader& in, ObjectList& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("items")) {
        has_items = true;
        return ReadList(in, out.items, [&](std::string_view& item) {
          if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
          item = in.Skip();
          return absl::OkStatus();
        });
      }
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (key.Is("resourceVersion")) return in.Read(out.resource_version);
        if (key.Is("continue")) return in.Read(out.continue_token);
        return absl::OkStatus();
      });
    });
  });
  if (list.ok() && !has_items) return Invalid("not a list: it has no items");
  return list;
}

}  // namespace huygens::wire
