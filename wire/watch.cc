#include "wire/watch.h"

#include "base/text.h"
#include "json/reader.h"

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

Status ReadObject(JsonReader& in, WatchLine& event) {
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  event.resource_version.clear();
  const char* begin = in.position();
  HUYGENS_RETURN_IF_ERROR(in.Fields("metadata", [&] { return in.Fields("resourceVersion", event.resource_version); }));
  event.object = {begin, static_cast<size_t>(in.position() - begin)};
  return absl::OkStatus();
}

}  // namespace

StatusOr<WatchLine> DecodeWatchLine(std::string_view line) {
  std::string type;
  auto event = DecodeObject<WatchLine>(line, [&](JsonReader& in, WatchLine& out) {
    return in.Fields("type", type, "object", [&] { return ReadObject(in, out); });
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
