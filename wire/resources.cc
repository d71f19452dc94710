#include "wire/resources.h"

#include "wire/text_cut.h"

namespace huygens::wire {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

Status ReadQuantity(JsonReader& in, Quantity& out) {
  out = Quantity();
  if (in.SkipNull()) return absl::OkStatus();
  std::string_view text;
  OwnedTexts storage;
  if (in.Next() == JsonType::kNumber) {
    text = in.Skip();
  } else if (in.Next() == JsonType::kString) {
    HUYGENS_RETURN_IF_ERROR(in.Read(text, storage));
  } else {
    return in.Unexpected("a quantity");
  }
  auto parsed = Quantity::Parse(Trim(text));
  if (!parsed.ok()) return Annotate(parsed.status(), Concat("quantity \"", CutText(text, 40), "\""));
  out = *std::move(parsed);
  return absl::OkStatus();
}

Status ReadResourceList(JsonReader& in, ResourceNames& names, ResourceVector& out, Status* left_out) {
  if (in.Next() == JsonType::kNull) out = {};
  return in.Members([&](const JsonKey& key) -> Status {
    Quantity quantity;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, quantity));
    // A full table loses only names that no configuration and no object before has mentioned: better than to lose the
    // object.
    StatusOr<ResourceId> id = names.Intern(key.text);
    if (id.ok()) out.Set(*id, BaseUnits(*id, quantity));
    if (!id.ok() && left_out != nullptr) *left_out = id.status();
    return absl::OkStatus();
  });
}

Status ReadKnownResources(JsonReader& in, const ResourceNames& names, ResourceVector& out) {
  if (in.Next() == JsonType::kNull) out = {};
  return in.Members([&](const JsonKey& key) -> Status {
    Quantity quantity;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, quantity));
    if (auto id = names.Find(key.text)) out.Set(*id, BaseUnits(*id, quantity));
    return absl::OkStatus();
  });
}

Status ReadRequirements(JsonReader& in, ResourceNames& names, ResourceVector& requests, ResourceVector& limits) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("requests")) return ReadResourceList(in, names, requests);
    if (key.Is("limits")) return ReadResourceList(in, names, limits);
    return absl::OkStatus();
  });
}

Status ReadPodResources(JsonReader& in, ResourceNames& names, Boxed<cluster::PodResources>& out) {
  if (in.SkipNull()) {
    out.reset();
    return absl::OkStatus();
  }
  if (!out) out.emplace();
  return ReadRequirements(in, names, out->requests, out->limits);
}

Status ReadTextMap(JsonReader& in, TextPairs& out) {
  return in.Members([&](const JsonKey& key) {
    auto& pair = out.emplace_back(key.text, std::string());
    return in.Read(pair.second);
  });
}

}  // namespace huygens::wire
