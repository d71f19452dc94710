#include "wire/resources.h"

#include <algorithm>

#include "base/text.h"
#include "cluster/unknown_resources.h"

namespace huygens::wire {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// `find(name, quantity)` says under which id an amount counts; nothing: it does not.
template <typename Find>
Status ReadAmounts(JsonReader& in, ResourceVector& out, Find find) {
  if (in.Next() == JsonType::kNull) out = {};
  return in.Members([&](const JsonKey& key) -> Status {
    Quantity quantity;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, quantity));
    if (const std::optional<ResourceId> id = find(key.text, quantity)) out.Set(*id, BaseUnits(*id, quantity));
    return absl::OkStatus();
  });
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

std::optional<ResourceId> PodResourceNames::Find(std::string_view name) const {
  if (auto id = table_.Find(name)) return id;
  const auto at = std::find(unknown_.begin(), unknown_.end(), name);
  if (at == unknown_.end()) return std::nullopt;
  return static_cast<ResourceId>(kFirstUnknownResource + (at - unknown_.begin()));
}

std::optional<ResourceId> PodResourceNames::Take(std::string_view name) {
  if (auto id = Find(name)) return id;
  if (unknown_.size() == cluster::kMostUnknownResources) {
    left_out_ = true;
    return std::nullopt;
  }
  unknown_.emplace_back(name);
  return static_cast<ResourceId>(kFirstUnknownResource + unknown_.size() - 1);
}

Status ReadResourceList(JsonReader& in, ResourceNames& names, ResourceVector& out, Status* left_out) {
  // A full table loses only names that no configuration and no object before has mentioned: better than to lose the
  // object.
  return ReadAmounts(in, out, [&](std::string_view name, const Quantity&) {
    const StatusOr<ResourceId> id = names.Intern(name);
    if (!id.ok() && left_out != nullptr) *left_out = id.status();
    return id.ok() ? std::optional(*id) : std::nullopt;
  });
}

Status ReadResourceList(JsonReader& in, PodResourceNames& names, ResourceVector& out) {
  return ReadAmounts(in, out, [&](std::string_view name, const Quantity& quantity) {
    return quantity.Sign() == 0 ? names.Find(name) : names.Take(name);
  });
}

Status ReadKnownResources(JsonReader& in, const PodResourceNames& names, ResourceVector& out) {
  return ReadAmounts(in, out, [&](std::string_view name, const Quantity&) { return names.Find(name); });
}

Status ReadRequirements(JsonReader& in, PodResourceNames& names, ResourceVector& requests, ResourceVector& limits) {
  return in.Fields(
      "requests", [&] { return ReadResourceList(in, names, requests); }, "limits",
      [&] { return ReadResourceList(in, names, limits); });
}

Status ReadPodResources(JsonReader& in, const PodResourceNames& names, Boxed<cluster::PodResources>& out) {
  if (in.SkipNull()) {
    out.reset();
    return absl::OkStatus();
  }
  if (!out) out.emplace();
  return in.Fields(
      "requests", [&] { return ReadKnownResources(in, names, out->requests); }, "limits",
      [&] { return ReadKnownResources(in, names, out->limits); });
}

Status ReadObjectText(JsonReader& in, std::string_view& out) {
  out = {};
  if (in.SkipNull()) return absl::OkStatus();
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  out = in.Skip();
  return absl::OkStatus();
}

Status ReadTextMap(JsonReader& in, TextPairs& out) {
  return in.Members([&](const JsonKey& key) {
    auto& pair = out.emplace_back(key.text, std::string());
    return in.Read(pair.second);
  });
}

}  // namespace huygens::wire
