#include "wire/watch.h"

#include "wire/json_reader.h"
#include "wire/text_cut.h"

namespace huygens::wire {
namespace {

StatusOr<WatchType> ParseType(std::string_view text) {
  if (text == "ADDED") return WatchType::kAdded;
  if (text == "MODIFIED") return WatchType::kModified;
  if (text == "DELETED") return WatchType::kDeleted;
  if (text == "BOOKMARK") return WatchType::kBookmark;
  if (text == "ERROR") return WatchType::kError;
  return Invalid(Concat("unknown type of watch event: \"", CutText(text, 40), "\""));
}

Status ReadObject(JsonReader& in, WatchEvent& event) {
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  event.resource_version.clear();
  const char* begin = in.position();
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& part) {
    if (!part.Is("metadata")) return absl::OkStatus();
    return in.Members([&](const JsonKey& key) {
      return key.Is("resourceVersion") ? in.Read(event.resource_version) : absl::OkStatus();
    });
  }));
  event.object = {begin, static_cast<size_t>(in.position() - begin)};
  return absl::OkStatus();
}

}  // namespace

StatusOr<WatchEvent> DecodeWatchEvent(std::string_view line) {
  std::string type;
  auto event = DecodeObject<WatchEvent>(line, [&](JsonReader& in, WatchEvent& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("type")) return in.Read(type);
      if (key.Is("object")) return ReadObject(in, out);
      return absl::OkStatus();
    });
  });
  if (!event.ok()) return event;
  HUYGENS_ASSIGN_OR_RETURN(event->type, ParseType(type));
  if (event->object.empty()) return Invalid("watch event without an object");
  if (event->type == WatchType::kError) {
    HUYGENS_ASSIGN_OR_RETURN(event->error, DecodeApiStatus(event->object));
  }
  return event;
}

}  // namespace huygens::wire
