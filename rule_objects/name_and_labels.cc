#include "rule_objects/name_and_labels.h"

#include "json/reader.h"

namespace huygens::rule_objects {

StatusOr<NameAndLabels> DecodeNameAndLabels(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  NameAndLabels read;
  const auto labels = [&]() -> Status {
    return in.Members([&](const JsonKey& key) -> Status {
      read.labels.emplace_back(std::string(key.text), std::string());
      return in.Read(read.labels.back().second);
    });
  };
  const auto metadata = [&] { return in.Fields("uid", read.uid, "name", read.name, "labels", labels); };
  if (Status status = in.Fields("metadata", metadata); !status.ok()) return WithPlace(status);
  if (read.name.empty()) return Invalid("metadata.name: must not be empty");
  return read;
}

}  // namespace huygens::rule_objects
