#include "recommendation_api/checkpoint.h"

#include <utility>

#include "base/text.h"
#include "json/append.h"
#include "json/document.h"
#include "json/reader.h"

namespace huygens::recommendation_api {

StatusOr<Checkpoint> DecodeCheckpoint(std::string_view json) {
  const auto read = [](JsonReader& in, Checkpoint& out) {
    return in.Fields(
        "metadata", [&] { return JsonFieldReader::Read(in, out.metadata); }, "target", out.target, "history",
        [&]() -> Status {
          const bool object = in.Next() == JsonType::kObject;
          const std::string_view text = in.Skip();
          if (text.size() > kMostHistoryBytes) return Invalid("it is larger than 64 KiB");
          if (object) out.history = text;
          return absl::OkStatus();
        });
  };
  HUYGENS_ASSIGN_OR_RETURN(Checkpoint checkpoint, DecodeObject<Checkpoint>(json, read));
  if (checkpoint.metadata.name.empty()) return Invalid("metadata.name is missing");
  return checkpoint;
}

std::string EncodeCheckpoint(const Checkpoint& checkpoint) {
  std::string out = Concat(R"({"apiVersion":")", kApiVersion, R"(","kind":")", kCheckpointKind, R"(","metadata":)");
  AppendJson(out, checkpoint.metadata);
  AppendJsonField(out, "target", checkpoint.target);
  if (!checkpoint.history.empty()) {
    out += R"(,"history":)";
    out += checkpoint.history;
  }
  out += '}';
  return out;
}

}  // namespace huygens::recommendation_api
