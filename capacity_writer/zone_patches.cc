#include "capacity_writer/zone_patches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "json/append.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;
using real_capacity::Attributes;
using real_capacity::ZonePlan;

void AppendAttributes(std::string& out, const Attributes& attributes, TopologySource source) {
  AppendJsonKey(out, "attributes");
  if (source == TopologySource::kCrane) {
    out += '{';
    for (const auto& [name, text] : attributes) AppendJsonField(out, name, text);
    out += '}';
    return;
  }
  out += '[';
  for (const auto& [name, text] : attributes) {
    if (out.back() != '[') out += ',';
    out += '{';
    AppendJsonField(out, "name", name);
    AppendJsonField(out, "value", text);
    out += '}';
  }
  out += ']';
}

// One part of a name in a JSON pointer.
std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

class JsonPatch {
 public:
  void Add(std::string_view operation, const std::string& path, std::string_view json) {
    out_ += out_.size() > 1 ? ",{" : "{";
    AppendJsonField(out_, "op", operation);
    AppendJsonField(out_, "path", path);
    if (!json.empty()) {
      AppendJsonKey(out_, "value");
      out_ += json;
    }
    out_ += '}';
  }
  std::string Finish() && { return std::move(out_) + "]"; }

 private:
  std::string out_ = "[";
};

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

// How the attributes of one zone become others, for the patch; whether there is anything to change.
bool PatchZone(JsonPatch& patch, const ZoneObject::Zone& zone, const Attributes& wanted,
               std::span<const std::string> names, TopologySource source) {
  const std::string at = Concat("/zones/", std::to_string(zone.index), "/attributes");
  const bool list = source == TopologySource::kCommunity;
  bool changes = false;
  if (!zone.has_attributes) {
    if (wanted.empty()) return false;
    patch.Add("add", at, list ? "[]" : "{}");
  }
  // From the end of a list to its front, so that what is removed moves nothing that is still to be named.
  std::set<std::string, std::less<>> there;
  for (size_t i = zone.attributes.size(); i-- > 0;) {
    const auto& [name, text] = zone.attributes[i];
    const std::string path = Concat(at, "/", list ? std::to_string(i) : Escaped(name));
    const auto found = std::ranges::find(wanted, name, [](const auto& each) { return each.first; });
    if (found != wanted.end() && there.insert(name).second) {
      if (found->second == text) continue;
      patch.Add("replace", list ? path + "/value" : path, Json(found->second));
      changes = true;
    } else if (std::ranges::find(names, name) != names.end()) {
      patch.Add("remove", path, "");
      changes = true;
    }
  }
  for (const auto& [name, text] : wanted) {
    if (there.contains(name)) continue;
    std::string item = "{";
    AppendJsonField(item, "name", name);
    AppendJsonField(item, "value", text);
    item += '}';
    patch.Add("add", list ? at + "/-" : Concat(at, "/", Escaped(name)), list ? item : Json(text));
    changes = true;
  }
  return changes;
}

}  // namespace

std::string_view ApiVersion(TopologySource source) {
  return source == TopologySource::kCrane ? "topology.crane.io/v1alpha1" : "topology.node.k8s.io/v1alpha2";
}

std::string EncodeApply(const ZoneObject& object, std::span<const ZonePlan> zones) {
  std::string out = "{";
  AppendJsonField(out, "apiVersion", ApiVersion(object.source));
  AppendJsonField(out, "kind", "NodeResourceTopology");
  AppendJsonKey(out, "metadata");
  out += '{';
  AppendJsonField(out, "name", object.name);
  AppendJsonField(out, "uid", object.uid);  // without it an object that is gone would be made anew
  AppendJsonField(out, "resourceVersion", object.resource_version);
  out += '}';
  if (!zones.empty()) {
    AppendJsonKey(out, "zones");
    out += '[';
    for (const ZonePlan& zone : zones) {
      if (out.back() != '[') out += ',';
      out += '{';
      AppendJsonField(out, "name", zone.zone);
      AppendJsonField(out, "type", "Node");  // its definition wants one, also once the agent has given the zone up
      AppendAttributes(out, zone.attributes, object.source);
      out += '}';
    }
    out += ']';
  }
  return out + "}";
}

std::string EncodeJsonPatch(const ZoneObject& object, std::span<const ZonePlan> zones,
                            std::span<const std::string> names) {
  JsonPatch patch;
  patch.Add("replace", "/metadata/resourceVersion", Json(object.resource_version));
  bool changes = false;
  for (const ZoneObject::Zone& zone : object.zones) {
    const auto planned = std::ranges::find(zones, zone.name, [](const ZonePlan& each) { return each.zone; });
    if (PatchZone(patch, zone, planned == zones.end() ? Attributes() : planned->attributes, names, object.source)) {
      changes = true;
    }
  }
  return changes ? std::move(patch).Finish() : std::string();
}

}  // namespace huygens::capacity_writer
