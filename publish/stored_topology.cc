#include "publish/stored_topology.h"

#include "json/reader.h"
#include "publish/own_attributes.h"

namespace huygens::publish {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Status ReadManagedFields(JsonReader& in, ZoneList& zones) {
  return in.Elements([&](size_t) {
    return in.Members([&](const JsonKey& part) -> Status {
      if (!part.Is("fieldsV1")) return absl::OkStatus();
      return in.Members([&](const JsonKey& field) -> Status {
        if (field.text != "f:zones") return absl::OkStatus();
        bool by_name = false;
        HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& item) {
          by_name = by_name || item.text.starts_with("k:") || item.text == ".";
          return absl::OkStatus();
        }));
        if (zones != ZoneList::kByName) zones = by_name ? ZoneList::kByName : ZoneList::kAsWhole;
        return absl::OkStatus();
      });
    });
  });
}

// A map of texts, or a list of {name, value}.
Status ReadAttributes(JsonReader& in, Pairs& out) {
  if (in.Next() != JsonType::kArray) {
    return in.Members([&](const JsonKey& key) { return in.Read(out.emplace_back(key.text, "").second); });
  }
  return in.Elements([&](size_t) {
    auto& each = out.emplace_back();
    return in.Fields("name", each.first, "value", each.second);
  });
}

Status ReadZone(JsonReader& in, StoredTopology& out) {
  std::string name;
  Pairs attributes;
  HUYGENS_RETURN_IF_ERROR(in.Fields("name", name, "attributes", [&] { return ReadAttributes(in, attributes); }));
  std::erase_if(attributes, [](const auto& each) { return IsOwnAttribute(each.first); });
  if (!attributes.empty()) out.foreign[name] = std::move(attributes);
  return absl::OkStatus();
}

bool Holds(JsonReader whole, JsonReader part);

// The text of a member of an object; empty where there is none.
std::string_view MemberOf(JsonReader object, std::string_view name) {
  std::string_view found;
  const Status walked = object.Members([&](const JsonKey& key) {
    if (key.text == name) found = object.Skip();
    return absl::OkStatus();
  });
  return walked.ok() ? found : std::string_view();
}

bool HoldsText(std::string_view whole, std::string_view part) {
  const auto a = JsonReader::Open(whole), b = JsonReader::Open(part);
  return a.ok() && b.ok() && Holds(*a, *b);
}

bool HoldsMembers(const JsonReader& whole, JsonReader part) {
  bool all = true;
  const Status walked = part.Members([&](const JsonKey& key) {
    const std::string name(key.text);
    const std::string_view wanted = part.Skip(), found = MemberOf(whole, name);
    all = all && !found.empty() && HoldsText(found, wanted);
    return absl::OkStatus();
  });
  return walked.ok() && all;
}

std::vector<std::string_view> ElementsOf(JsonReader list) {
  std::vector<std::string_view> elements;
  const Status walked = list.Elements([&](size_t) {
    elements.push_back(list.Skip());
    return absl::OkStatus();
  });
  return walked.ok() ? elements : std::vector<std::string_view>();
}

std::string_view NameOf(std::string_view element) {
  const auto in = JsonReader::Open(element);
  return in.ok() && in->Next() == JsonType::kObject ? MemberOf(*in, "name") : std::string_view();
}

bool HoldsElements(const JsonReader& whole, const JsonReader& part) {
  const std::vector<std::string_view> has = ElementsOf(whole), wanted = ElementsOf(part);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string_view name = NameOf(wanted[i]);
    size_t at = i;
    if (!name.empty()) {
      for (at = 0; at < has.size() && NameOf(has[at]) != name; ++at) {
      }
    } else if (has.size() != wanted.size()) {
      return false;
    }
    if (at >= has.size() || !HoldsText(has[at], wanted[i])) return false;
  }
  return true;
}

bool Holds(JsonReader whole, JsonReader part) {
  if (whole.Next() != part.Next()) return false;
  if (part.Next() == JsonType::kObject) return HoldsMembers(whole, part);
  if (part.Next() == JsonType::kArray) return HoldsElements(whole, part);
  if (part.Next() != JsonType::kString) return whole.Skip() == part.Skip();
  std::string a, b;
  return whole.Read(a).ok() && part.Read(b).ok() && a == b;
}

}  // namespace

StatusOr<StoredTopology> DecodeStoredTopology(std::string_view json) {
  auto stored = DecodeObject<StoredTopology>(json, [](JsonReader& in, StoredTopology& out) {
    const auto read_metadata = [&] {
      return in.Fields("resourceVersion", out.resource_version, "managedFields",
                       [&] { return ReadManagedFields(in, out.zones); });
    };
    return in.Fields("metadata", read_metadata, "zones",
                     [&] { return in.Elements([&](size_t) { return ReadZone(in, out); }); });
  });
  return stored.ok() ? std::move(stored) : Annotate(stored.status(), "the topology object");
}

bool JsonHolds(std::string_view whole, std::string_view part) { return HoldsText(whole, part); }

}  // namespace huygens::publish
